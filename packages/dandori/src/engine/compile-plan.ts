import { asksFirst } from '../core/approval.ts';
import { timeLeft } from '../core/budget.ts';
import { type Compiled, compile, type Surroundings } from '../core/compile.ts';
import { dollars } from '../core/dollars.ts';
import { refsIn } from '../core/inject.ts';
import { repair } from '../core/repair.ts';
import { hasEnded, lastDecision, type RunState } from '../core/state.ts';
import { isStep, STEP_TOOL } from '../core/step.ts';
import type { OpenSteps } from '../core/step-edges.ts';
import type { Fact } from '../domain/event.ts';
import type { Settings } from '../domain/settings.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import type { Driver } from './perform.ts';
import { proposal } from './proposal.ts';

/** Compiles the draft and records what came of it; certain mistakes of the mind are corrected without asking it. */
export async function compilePlan({ ledger, parts }: Driver): Promise<void> {
  const { state } = ledger;
  const { draft } = state;
  if (draft === undefined) return;
  const { version, tasks } = draft;
  const { settings } = state;
  // Which task is urgent matters only where not all can start at once.
  if (tasks.length > state.settings.concurrency) await parts.durations?.load();
  const surroundings = surroundingsOf(state, parts);
  // A revision that only takes away leaves nothing to compile.
  if (tasks.length === 0 && draft.revision !== undefined) {
    ledger.record({ type: 'plan_approved', data: { version, tasks: [] } });
    return;
  }
  const compiled = compile(tasks, surroundings);
  const mended =
    compiled.ok || draft.by === 'user' ? undefined : repair(tasks, compiled.diagnostics, surroundings);
  const again = mended && compile(mended.tasks, surroundings);
  if (mended !== undefined && again?.ok === true) {
    ledger.record(
      proposal({ ...draft, by: 'repair', tasks: mended.tasks }),
      approval(version, again, { written: mended.tasks, repairs: mended.notes, settings }),
    );
  } else if (compiled.ok)
    ledger.record(approval(version, compiled, { written: tasks, repairs: [], settings }));
  else ledger.record({ type: 'plan_rejected', data: { version, diagnostics: compiled.diagnostics } });
}

interface Circumstances {
  readonly written: readonly Task[];
  readonly repairs: readonly string[];
  readonly settings: Settings;
}

function approval(
  version: number,
  compiled: Compiled & { ok: true },
  { written, repairs, settings }: Circumstances,
): Fact {
  const { tasks, groups, accesses } = compiled;
  const warnings = compiled.warnings.map(({ task, message }) =>
    task === undefined ? message : `${task}: ${message}`,
  );
  const notes = [...repairs, ...compiled.notes, ...warnings];
  const operations = new Map(written.map(({ id, operation }) => [id, operation]));
  const isAsked = tasks.some(({ id, effect }) =>
    asksFirst({ operation: operations.get(id) ?? '', effect }, settings),
  );
  return {
    type: 'plan_approved',
    data: {
      version,
      tasks,
      ...(groups.length > 0 && { groups: groups.map((group) => [...group]) }),
      ...(accesses && { accesses }),
      ...(notes.length > 0 && { notes }),
      ...(isAsked && { estimate: compiled.estimate() }),
    },
  };
}

function answerUses(state: RunState): Pick<Surroundings, 'answerUses'> {
  const answer = lastDecision(state)?.operations.find(({ operation }) => operation === 'answer');
  const refs = answer === undefined ? [] : refsIn(answer.args);
  return refs.length === 0 ? {} : { answerUses: new Set(refs.map(({ ref }) => ref.task)) };
}

function surroundingsOf(state: RunState, parts: Driver['parts']): Surroundings {
  const { draft, settings } = state;
  const isTheirs = draft?.by === 'user';
  const removes = new Set(draft?.removes);
  const done = [...state.tasks.values()].filter(
    ({ task, status }) => status === 'succeeded' || (isStep(task) && !removes.has(task.id)),
  );
  const { limits } = settings;
  return {
    tools: withSteps(parts.toolbox.tools()),
    missing: new Map(parts.toolbox.missing().map(({ server, reason }) => [server, reason])),
    check: parts.check,
    // A person's plan may hold Refs whatever the mode; the mode is what the mind is asked for.
    mode: isTheirs ? 'planned' : settings.mode,
    order: settings.order,
    ...(isTheirs ? { maxTasks: Number.POSITIVE_INFINITY } : roomIn(state, removes)),
    done: new Map(done.map(({ task }) => [task.id, task.operation])),
    steps: openSteps(state, draft?.tasks ?? [], removes),
    dropsNeedless: !isTheirs,
    ...answerUses(state),
    budget: {
      ms: timeLeft(state, parts.clock.now()),
      cost: limits.cost === undefined ? undefined : dollars(limits.cost - (state.usage.cost ?? 0)),
      ...settings.task,
      concurrency: settings.concurrency,
      servers: settings.servers,
    },
    expectedMs: parts.durations?.expected,
  };
}

/** How many more there may be. What is removed makes room. */
function roomIn(
  { tasks, stepCount, settings: { limits } }: RunState,
  removes: ReadonlySet<string>,
): Pick<Surroundings, 'maxTasks' | 'maxSteps'> {
  const removed = [...removes].flatMap((id) => tasks.get(id)?.task ?? []);
  const steps = removed.filter(isStep).length;
  return {
    maxTasks: limits.tasks - (tasks.size - stepCount) + (removed.length - steps),
    maxSteps: limits.tasks - stepCount + steps,
  };
}

/** What is removed is written anew, and is in the plan itself. */
function openSteps(
  { tasks, stepCount }: RunState,
  written: readonly Task[],
  removes: ReadonlySet<string>,
): OpenSteps {
  const again = openedAgain(written, tasks);
  const isOpen = (id: string) =>
    !removes.has(id) && (again.has(id) || !hasEnded(tasks.get(id)?.status ?? 'blocked'));
  const steps = stepCount === 0 ? [] : [...tasks.values()].filter(({ task }) => isStep(task));
  return new Map(
    steps
      .filter(({ task }) => isOpen(task.id))
      .map(({ task, needs, children }) => [
        task.id,
        { needs: needs.filter(isOpen), tasks: children.filter(isOpen), step: task.step },
      ]),
  );
}

/** Steps that had ended without success and get a new task, they themselves or a step in them. */
function openedAgain(written: readonly Task[], tasks: RunState['tasks']): Set<string> {
  const again = new Set<string>();
  for (let { step } of written) {
    while (step !== undefined && !again.has(step)) {
      const above = tasks.get(step);
      if (above === undefined || !isStep(above.task) || above.status === 'succeeded') break;
      again.add(step);
      step = above.task.step;
    }
  }
  return again;
}

function withSteps(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  return new Map([...tools, [STEP_TOOL.name, STEP_TOOL]]);
}
