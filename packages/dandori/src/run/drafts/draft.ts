import type { Clock } from '../../model/clock.ts';
import { withOwnTools } from '../../model/own-tools.ts';
import type { Diagnostic } from '../../model/plan.ts';
import { isStep, STEP_TOOL, type Task } from '../../model/task.ts';
import { dollars } from '../../model/text.ts';
import type { SchemaCheck, Tool } from '../../model/tool.ts';
import { copiedSecrets } from '../../plan/check-arguments.ts';
import type { CheckedTasks } from '../../plan/checked-tasks.ts';
import { type CompileContext, type Compiled, compile } from '../../plan/compile.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import type { OpenSteps } from '../../plan/graph.ts';
import type { KnownTasks } from '../../plan/known-tasks.ts';
import { costUsed, timeLeft } from '../limits.ts';
import { type Draft, hasEnded, lastDecision, type RunState, type TaskState } from '../state/state.ts';
import { waitsOfReplacement } from './replacement.ts';

/** What the compiler needs besides the state of the run. */
export interface CompileParts {
  readonly toolbox: {
    tools(): ReadonlyMap<string, Tool>;
    missing(): readonly { readonly server: string; readonly reason: string }[];
  };
  /** Checks arguments as they are sent, so it must open sealed secrets. */
  readonly check: SchemaCheck;
  readonly clock: Pick<Clock, 'now'>;
  /** The expected duration of a tool's call in milliseconds, based on its earlier calls. */
  readonly durations?: { readonly expected: (operation: string) => number | undefined } | undefined;
  /** Tasks that were already checked, to avoid checking them again. */
  readonly checked?: CheckedTasks | undefined;
  /** An accepted plan is compiled again to verify the journal. Its secrets are not checked again. */
  readonly isProof?: boolean;
}

interface DraftContext {
  readonly state: RunState;
  readonly parts: CompileParts;
}

/** Compiles a plan against the current state of the run. */
export function compileDraft(draft: Draft, context: DraftContext): Compiled {
  const { tasks, revision } = draft;
  const isJudged = context.state.isSealed && context.parts.isProof !== true;
  const copied = isJudged ? tasks.flatMap(copiedSecrets) : [];
  if (copied.length > 0) return { ok: false, diagnostics: copied };
  // A revision that only removes tasks leaves nothing to compile.
  if (tasks.length === 0 && revision !== undefined) return NOTHING;
  const replaced = context.state.tasks.get(revision?.replaces ?? '');
  if (replaced !== undefined) return compileReplacement(draft, replaced, context);
  const taken = draft.by === 'user' && context.state.tasks.size > 0 ? takenIds(draft, context.state) : [];
  const compiled = compile(tasks, compileContext(draft, context));
  if (taken.length === 0) return compiled;
  return { ok: false, diagnostics: [...taken, ...(compiled.ok ? [] : compiled.diagnostics)] };
}

/**
 * Compiles only the replacement of a task. The rest of the plan stays as it was compiled, and the replacement
 * waits for it.
 */
function compileReplacement(draft: Draft, replaced: TaskState, context: DraftContext): Compiled {
  const tools = context.parts.toolbox.tools();
  const bare = draft.tasks.map(({ step: _, ...task }): Task => task);
  const compiled = compile(bare, { ...compileContext(draft, context), open: [], steps: new Map() });
  if (!compiled.ok) return compiled;
  const written = new Map(draft.tasks.map((task) => [task.id, task]));
  const tasks = compiled.tasks.map((checked) => {
    const task = written.get(checked.id);
    const waits =
      task === undefined ? [] : waitsOfReplacement(task, replaced, { state: context.state, tools });
    return { ...checked, waits: [...new Set([...(checked.waits ?? []), ...waits])] };
  });
  return { ...compiled, tasks };
}

const NOTHING: Compiled = {
  ok: true,
  tasks: [],
  groups: [],
  warnings: [],
  notes: [],
  estimate: () => ({
    calls: 0,
    reads: 0,
    writes: 0,
    irreversible: [],
    criticalPath: [],
    cost: 0,
    worstCost: 0,
  }),
  reasonsOf: () => [],
};

/** Taken ids in the mind's plan are renamed. A user's plan is never changed silently, so it is refused. */
function takenIds({ tasks, removes = [] }: Draft, state: RunState): Diagnostic[] {
  const isTaken = (id: string) => {
    const earlier = state.tasks.get(id);
    // The compiler itself reports the id of a task that succeeded.
    return earlier !== undefined && earlier.status !== 'succeeded' && !removes.includes(id);
  };
  return tasks.flatMap(({ id }, index) =>
    isTaken(id)
      ? [
          {
            code: 'duplicate-id' as const,
            task: id,
            index,
            path: ['id'],
            message: `"${id}" is the id of a task of this run that is not in this plan`,
            hint: 'give it another id',
          },
        ]
      : [],
  );
}

const compilable = new WeakMap<ReadonlyMap<string, Tool>, ReadonlyMap<string, Tool>>();

/** The tools as the compiler knows them, made once for each toolbox. */
function withSteps(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  let all = compilable.get(tools);
  if (all === undefined) {
    all = new Map([...withOwnTools(tools), [STEP_TOOL.name, STEP_TOOL]]);
    compilable.set(tools, all);
  }
  return all;
}

const NO_TASKS: ReadonlySet<string> = new Set();
const NO_SERVERS: ReadonlyMap<string, string> = new Map();
const NO_STEPS: OpenSteps = new Map();
const NO_LIMITS = { maxTasks: Number.POSITIVE_INFINITY, maxSteps: Number.POSITIVE_INFINITY };

export function compileContext(draft: Draft, { state, parts }: DraftContext): CompileContext {
  const { settings } = state;
  const isTheirs = draft.by === 'user';
  const removes = draft.removes === undefined ? NO_TASKS : new Set(draft.removes);
  const { limits, task } = settings;
  const missing = parts.toolbox.missing();
  const { maxTasks, maxSteps } = isTheirs ? NO_LIMITS : roomIn(state, removes);
  // Each field is named: a spread copies them one by one, which takes longer than compiling a short plan.
  return {
    tools: withSteps(parts.toolbox.tools()),
    // The reason is in the words of the server, and the mind is told what is wrong with its plan.
    missing: missing.length === 0 ? NO_SERVERS : new Map(missing.map(({ server }) => [server, ''])),
    check: parts.check,
    checked: parts.checked,
    // A user's plan may contain Refs in any mode. The mode only limits the mind.
    mode: isTheirs ? 'planned' : settings.mode,
    order: settings.order,
    maxTasks,
    maxSteps,
    done: new RunTasks(
      state.tasks,
      ({ task, status }) => status === 'succeeded' || (isStep(task) && !removes.has(task.id)),
    ),
    open: openTasks(state, removes),
    steps: state.indexes.stepCount === 0 ? NO_STEPS : openSteps(state, draft.tasks, removes),
    dropsNeedless: !isTheirs,
    answerUses: answerUses(state),
    budget: {
      ms: timeLeft(state, parts.clock.now()),
      cost: limits.cost === undefined ? undefined : dollars(limits.cost - costUsed(state)),
      timeoutMs: task.timeoutMs,
      attempts: task.attempts,
      backoff: task.backoff,
      concurrency: settings.concurrency,
      servers: settings.servers,
    },
    expectedMs: parts.durations?.expected,
  };
}

/** The tasks of a run that pass a test, as the compiler looks them up. */
export class RunTasks implements KnownTasks {
  readonly #tasks: RunState['tasks'];
  readonly #isKnown: (task: TaskState) => boolean;

  constructor(tasks: RunState['tasks'], isKnown: (task: TaskState) => boolean) {
    this.#tasks = tasks;
    this.#isKnown = isKnown;
  }

  get(id: string): string | undefined {
    const task = this.#tasks.get(id);
    return task !== undefined && this.#isKnown(task) ? task.task.operation : undefined;
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  *keys(): Iterable<string> {
    for (const task of this.#tasks.values()) if (this.#isKnown(task)) yield task.task.id;
  }

  *values(): Iterable<string> {
    for (const task of this.#tasks.values()) if (this.#isKnown(task)) yield task.task.operation;
  }
}

/** In most steps of a long run there are none. Then nothing is searched. */
export function unendedTasks({ tasks, indexes: { unended } }: RunState): TaskState[] {
  return unended === 0 ? [] : [...tasks.values()].filter(({ status }) => !hasEnded(status));
}

/** The calls that have not ended. If a choice changed the arguments, those decide what a call touches. */
function openTasks(state: RunState, removes: ReadonlySet<string>): Task[] {
  const open: Task[] = [];
  for (const { task, override } of unendedTasks(state))
    if (!isStep(task) && !removes.has(task.id))
      open.push(override === undefined ? task : { ...task, args: override });
  return open;
}

/** Undefined if no answer was written together with the plan, or if it uses no result. */
function answerUses(state: RunState): ReadonlySet<string> | undefined {
  const answer = lastDecision(state)?.operations.find(({ operation }) => operation === 'answer');
  const refs = answer === undefined ? [] : refsIn(answer.args);
  return refs.length === 0 ? undefined : new Set(refs.map(({ ref }) => ref.task));
}

/** How many more tasks and steps the plan may have. Removed tasks make room. */
function roomIn(
  { tasks, indexes: { stepCount }, settings: { limits } }: RunState,
  removes: ReadonlySet<string>,
): typeof NO_LIMITS {
  let maxTasks = limits.tasks - (tasks.size - stepCount);
  let maxSteps = limits.tasks - stepCount;
  for (const id of removes) {
    const removed = tasks.get(id)?.task;
    if (removed === undefined) continue;
    if (isStep(removed)) maxSteps++;
    else maxTasks++;
  }
  return { maxTasks, maxSteps };
}

/** The open steps of the run. Removed steps are left out, because the draft contains them again. */
function openSteps({ tasks }: RunState, written: readonly Task[], removes: ReadonlySet<string>): OpenSteps {
  const again = openedAgain(written, tasks);
  const isOpen = (id: string) =>
    !removes.has(id) && (again.has(id) || !hasEnded(tasks.get(id)?.status ?? 'blocked'));
  const steps = [...tasks.values()].filter(({ task }) => isStep(task));
  return new Map(
    steps
      .filter(({ task }) => isOpen(task.id))
      .map(({ task, needs, children }) => [
        task.id,
        { needs: needs.filter(isOpen), tasks: children.filter(isOpen), step: task.step },
      ]),
  );
}

/** Steps that ended without success and that get a new task, directly or in a nested step. */
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
