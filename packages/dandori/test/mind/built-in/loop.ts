import { createBuiltInMind } from '../../../src/mind/built-in/planner.ts';
import type { Thinking, Thought } from '../../../src/mind/mind.ts';
import type { Fact, Purpose } from '../../../src/model/event.ts';
import type { Failure } from '../../../src/model/failure.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { Settings } from '../../../src/model/settings.ts';
import type { Action, Task } from '../../../src/model/task.ts';
import type { Tool } from '../../../src/model/tool.ts';
import { compile } from '../../../src/plan/compile.ts';
import { fillRefs } from '../../../src/plan/fill-refs.ts';
import { parseActions } from '../../../src/run/actions/parse-actions.ts';
import { decide } from '../../../src/run/decide.ts';
import { apply } from '../../../src/run/state/apply.ts';
import type { RunState } from '../../../src/run/state/state.ts';
import { createSchemaCheck } from '../../../src/tools/schema/check.ts';
import { settingsWith } from '../../settings.ts';

/** A tool's recorded behaviour: a result, or a Failure thrown as data. */
export type Run = (args: JsonObject) => Json | { failure: Failure };

export interface Played {
  readonly state: RunState;
  /** Operations in the order in which they ran, with the arguments as sent. */
  readonly calls: { operation: string; args: JsonObject }[];
  readonly decisions: Thinking[];
  readonly outcome: string;
  readonly answer: string;
  /** The question on which the run waits. */
  readonly question: string | undefined;
}

interface Play {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly runs: Readonly<Record<string, Run>>;
  readonly settings?: Partial<Settings>;
  /** A person's answers, by question. */
  readonly answers?: (question: string) => Json | undefined;
  /** The language of the answers, if they tell one. */
  readonly language?: 'en' | 'ja';
  /** A plan that the user gave. */
  readonly plan?: readonly Task[];
}

export const SETTINGS = settingsWith({
  concurrency: 4,
  limits: { time: 60_000 },
  task: { timeoutMs: 1_000, attempts: 1, backoff: 0 },
});

const check = createSchemaCheck();

/** Plays a run to its end with the real core: what the mind decides is compiled, injected and folded as in a real run. */
export async function play(goal: string, setup: Play): Promise<Played> {
  const mind = createBuiltInMind();
  const calls: Played['calls'] = [];
  const decisions: Thinking[] = [];
  let state: RunState | undefined;
  let seq = 0;
  const put = (fact: Fact): RunState => {
    seq++;
    state = apply(state, { v: 1, run: 'r1', seq, at: 1_800_000_000_000 + seq, ...fact });
    return state;
  };
  const settings = { ...SETTINGS, ...setup.settings };
  let now = put({
    type: 'run_started',
    data: { goal, settings, mind: 'built-in', planGiven: setup.plan !== undefined },
  });
  if (setup.plan !== undefined)
    now = put({ type: 'plan_proposed', data: { version: 1, by: 'user', tasks: [...setup.plan] } });
  for (let turn = 0; turn < 60; turn++) {
    const [intention] = decide(now, 1_800_000_000_000 + seq).filter(({ type }) => type !== 'wake_at');
    if (intention === undefined) {
      const open = [...now.questions.values()].find(({ answer }) => answer === undefined)?.question;
      const answer = open === undefined ? undefined : setup.answers?.(open.text);
      if (open === undefined || answer === undefined) return ended('waiting', '', open?.text);
      const { language } = setup;
      now = put({
        type: 'question_answered',
        data: { question: open.id, answer, ...(language !== undefined && { language }) },
      });
    } else if (intention.type === 'think') now = await deciding(intention.purpose);
    else if (intention.type === 'compile_plan') now = compiled(now);
    else if (intention.type === 'start_task') now = performed(intention.task, now);
    else if (intention.type === 'finish') {
      const { outcome, answer } = intention.ending;
      const filled = fillRefs(answer ?? {}, (id) => resultOf(now, id));
      return ended(
        outcome,
        filled.ok ? String(filled.args.text ?? '') : `broken: ${JSON.stringify(filled.problems)}`,
        undefined,
      );
    } else throw new Error(`The loop does not know ${intention.type}.`);
  }
  throw new Error('The run does not end.');

  function ended(outcome: string, answer: string, question: string | undefined): Played {
    return { state: now, calls, decisions, outcome, answer, question };
  }

  async function deciding(purpose: Purpose): Promise<RunState> {
    const number = now.decisions.length + 1;
    put({ type: 'decision_started', data: { decision: number, purpose } });
    const thinking = await mind.think(thoughtOf(now, purpose, setup.tools));
    decisions.push(thinking);
    if (thinking.kind === 'failed')
      return put({ type: 'decision_failed', data: { decision: number, failure: thinking.failure, ms: 0 } });
    const { operations, tasks, questions } = parseActions(thinking.actions, now);
    let next = put({ type: 'decision_made', data: { decision: number, operations, ms: 0 } });
    if (tasks.length > 0)
      next = put({ type: 'plan_proposed', data: { version: next.planVersion + 1, by: 'mind', tasks } });
    for (const question of questions) next = put(question);
    return next;
  }

  function compiled(before: RunState): RunState {
    const { draft } = before;
    if (draft === undefined) return before;
    const done = new Map(
      [...before.tasks.values()]
        .filter(({ status }) => status === 'succeeded')
        .map(({ task }) => [task.id, task.operation]),
    );
    const { mode, order } = before.settings;
    const result = compile(draft.tasks, {
      tools: setup.tools,
      check,
      mode,
      order,
      maxTasks: 100,
      done,
      missing: new Map(),
    });
    return result.ok
      ? put({ type: 'plan_approved', data: { version: draft.version, tasks: result.tasks } })
      : put({ type: 'plan_rejected', data: { version: draft.version, diagnostics: result.diagnostics } });
  }

  function performed(id: string, before: RunState): RunState {
    const task = before.tasks.get(id)?.task;
    if (task === undefined) throw new Error(`There is no task ${id}.`);
    const injected = fillRefs(task.args, (other) => resultOf(before, other));
    put({
      type: 'task_started',
      data: { task: id, attempt: 1, key: id, ...(injected.ok && { args: injected.args }) },
    });
    if (!injected.ok) {
      const message = injected.problems.map((problem) => problem.message).join('; ');
      return put({
        type: 'task_failed',
        data: { task: id, attempt: 1, failure: { kind: 'invalid_args', message }, ms: 0 },
      });
    }
    calls.push({ operation: task.operation, args: injected.args });
    const run = setup.runs[task.operation];
    const result =
      run === undefined
        ? { failure: { kind: 'tool_error' as const, message: 'not recorded' } }
        : run(injected.args);
    if (isFailure(result))
      return put({ type: 'task_failed', data: { task: id, attempt: 1, failure: result.failure, ms: 0 } });
    return put({ type: 'task_succeeded', data: { task: id, attempt: 1, result, ms: 0 } });
  }
}

export function thoughtOf(state: RunState, purpose: Purpose, tools: ReadonlyMap<string, Tool>): Thought {
  return {
    purpose,
    state,
    tools,
    missing: [],
    result: (id: string) => resultOf(state, id),
    resultText: (id: string) => JSON.stringify(resultOf(state, id) ?? null),
    signal: new AbortController().signal,
  };
}

/** The first decision on a goal, without running anything. */
export async function firstActions(
  goal: string,
  tools: ReadonlyMap<string, Tool>,
  settings: Partial<Settings> = {},
): Promise<readonly Action[]> {
  const data = { goal, settings: { ...SETTINGS, ...settings }, mind: 'built-in' };
  const state = apply(undefined, {
    v: 1,
    run: 'r1',
    seq: 1,
    at: 1_800_000_000_000,
    type: 'run_started',
    data,
  });
  const thinking = await createBuiltInMind().think(thoughtOf(state, 'act', tools));
  if (thinking.kind === 'failed') throw new Error(thinking.failure.message);
  return thinking.actions;
}

function resultOf(state: RunState, id: string): Json | undefined {
  const stored = state.tasks.get(id)?.result;
  return stored !== undefined && 'value' in stored ? stored.value : undefined;
}

function isFailure(result: Json | { failure: Failure }): result is { failure: Failure } {
  return typeof result === 'object' && result !== null && !Array.isArray(result) && 'failure' in result;
}
