import type { Mind, Thinking, Thought } from '../../src/mind/index.ts';
import { parseJson, stringifyJson } from '../../src/model/json.ts';
import type { Action, Task } from '../../src/model/task.ts';
import { hasEnded, type RunState, type TaskState } from '../../src/run/state/state.ts';
import type { Fate, FaultAt } from './faults.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';

interface MindParts {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  readonly scenario: Scenario;
}

/** Decides by the state and not by the number of requests, as a model would. */
export function createSimulatedMind(parts: MindParts, process: SimulatedProcess): Mind {
  const { timeline, random, fate, scenario } = parts;
  return {
    name: scenario.isBuiltIn ? 'built-in' : 'simulated',
    think: (thought) =>
      process.receive(() => {
        const fault = fate.strike('thought', () => `${process.name}: ${thought.purpose}`);
        if (fault === 'mind_throws') throw new Error('the mind broke its promise');
        if (fault === 'crash_in_thought') timeline.after(random.below(5), () => process.die());
        const actions = spoil(decideBy(thought, scenario), fault);
        return write(thought, { actions, fault, timeline, random, isAtOnce: scenario.isBuiltIn });
      }),
  };
}

interface Writing {
  readonly actions: readonly Action[];
  readonly fault: FaultAt<'thought'> | undefined;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly isAtOnce: boolean;
}

/** Reports action by action, as a stream does. */
async function write(
  thought: Thought,
  { actions, fault, timeline, random, isAtOnce }: Writing,
): Promise<Thinking> {
  const { signal } = thought;
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const pause = (ms: number) =>
    Promise.race([new Promise<void>((resolve) => timeline.after(ms, resolve)), stopped]);
  if (fault === 'model_slow') await pause(random.between(1_000, 600_000));
  else if (!isAtOnce) await pause(random.below(10));
  if (fault === 'model_error')
    return { kind: 'failed', failure: { kind: 'model_error', message: 'overloaded', retryable: true } };
  for (const action of actions) {
    if (signal.aborted) break;
    thought.onAction?.(action);
    if (fault === 'action_duplicated') thought.onAction?.(action);
    if (!isAtOnce && random.chance(0.5)) await pause(random.below(10));
  }
  if (signal.aborted) return { kind: 'failed', failure: { kind: 'cancelled', message: 'stopped' } };
  return { kind: 'decided', actions, usage: { inputTokens: 10, outputTokens: 1 } };
}

function spoil(actions: readonly Action[], fault: FaultAt<'thought'> | undefined): readonly Action[] {
  if (fault === 'plan_broken')
    return [...actions, { id: 'odd', operation: 'shop.nothing', args: { from: '${nobody.value}' } }];
  if (fault === 'output_broken') return [parseJson('{"id":7,"operation":"shop.send"}') as Action];
  return actions;
}

function decideBy({ purpose, state, brief }: Thought, scenario: Scenario): readonly Action[] {
  const { batches, settings, asksFirst } = scenario;
  const isHierarchical = settings.mode === 'hierarchical';
  if (purpose === 'answer' || purpose === 'conclude') return [answer(state)];
  if (asksFirst && state.questions.size === 0)
    return [{ id: 'ask', operation: 'ask', args: { question: 'Which colour?' } }];
  if (isHierarchical && state.tasks.size === 0) return [proposal(batches.length)];
  if (purpose === 'generate') {
    const steps = brief?.steps ?? [];
    return steps.flatMap((step) => batchOf(step, batches).map((task) => ({ ...task, step })));
  }
  const next = batches.find((batch) => batch.some(({ id }) => !state.tasks.has(id)));
  if (isHierarchical || next === undefined) return [lastWord(state, scenario)];
  const isLast = scenario.answersAtOnce && next === batches.at(-1);
  return isLast ? [...next, answerBy(next)] : next;
}

function batchOf(step: string, batches: Scenario['batches']): readonly Task[] {
  return batches[Number(step.slice(1)) - 1] ?? [];
}

function proposal(steps: number): Action {
  const list = Array.from({ length: steps }, (_, index) => ({
    id: `s${index + 1}`,
    description: `stage ${index + 1}`,
    ...(index > 0 && { after: [`s${index}`] }),
  }));
  return { id: 'plan', operation: 'plan.propose', args: { steps: list } };
}

/** The answer is written before the tasks have results, so it uses Refs. */
function answerBy(tasks: readonly Task[]): Action {
  const text = tasks.map(({ id }) => `${id} gave \${${id}.value}`).join(' ');
  return { id: 'end', operation: 'answer', args: { text, achieved: true } };
}

/** If a note makes the driver ask again, the mind gives the same answer. */
function lastWord(state: RunState, { answersAtOnce, batches }: Scenario): Action {
  const last = batches.at(-1) ?? [];
  const isDone = last.every(({ id }) => state.tasks.get(id)?.status === 'succeeded');
  return answersAtOnce && isDone ? answerBy(last) : answer(state);
}

/** Reports the outcome of each task. */
function answer(state: RunState): Action {
  const parts = [...state.tasks.values()].map(tell);
  return { id: 'end', operation: 'answer', args: { text: parts.join(' '), achieved: true } };
}

function tell({ task, status, result }: TaskState): string {
  if (!hasEnded(status) || result === undefined) return `${task.id}:${status}`;
  const what = 'value' in result ? stringifyJson(result.value) : `${result.blob.bytes} bytes`;
  return `${task.id}:${status}=${what}`;
}

/** The tasks of a scenario as a plan given by the user. */
export function planOf({ batches }: Scenario): Task[] {
  return batches.flat();
}
