import type { Fact } from '../../model/event.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Outline } from '../../model/plan.ts';
import { type Action, isStep, type Task } from '../../model/task.ts';
import type { SchemaCheck } from '../../model/tool.ts';
import { renamed, renameIn } from '../../plan/refs.ts';
import { revisionsLeft } from '../brief.ts';
import { nextQuestion } from '../state/questions.ts';
import type { Draft, RunState } from '../state/state.ts';
import { OWN_OPERATIONS } from './own-operations.ts';
import { changePlan, joined, notBegun, readProposal, revised } from './plan-operations.ts';
import { readQuestion } from './question.ts';
import { readUpdates } from './step-update.ts';

export interface ParsedActions {
  readonly operations: Action[];
  readonly tasks: Task[];
  readonly questions: Fact[];
  readonly outline?: Outline | undefined;
  /** Tasks that have not begun and that `tasks` contains again. */
  readonly removes?: readonly string[] | undefined;
  /** Set if the decision changes an accepted plan. */
  readonly revision?: Draft['revision'];
  /** Why the decision cannot be used. */
  readonly problem?: string;
}

/**
 * Reads the actions of one decision: one at a time while the mind writes them, and all of them at the end.
 */
export interface ActionReader {
  /** The task for a call, with its final id in the run. Undefined if the call becomes no task. */
  add(call: Action): Task | undefined;
  /** Reads the whole decision. If `add` already made a task for an action, the same object is returned. */
  finish(actions: readonly Action[]): ParsedActions;
}

export function createActionReader(state: () => RunState, check: SchemaCheck = () => []): ActionReader {
  const made: { readonly action: Action; readonly task: Task; readonly renames: number }[] = [];
  return {
    add(call) {
      // Earlier actions are passed without arguments, so that their Refs are not searched for every call.
      const earlier = made.map(({ action }) => (isStep(action) ? action : { ...action, args: {} }));
      let found: Task | undefined;
      parse([...earlier, call], state(), {
        check,
        toTask({ index, action, renames }, make) {
          const task = make();
          if (index !== earlier.length) return task;
          made.push({ action, task, renames });
          found = task;
          return task;
        },
      });
      return found;
    },
    finish(actions) {
      return parse(actions, state(), {
        check,
        toTask({ index, id, action, renames }, make) {
          const before = made[index];
          const isSame = before?.task.id === id && before.renames === renames;
          return isSame && stringifyJson(before.action) === stringifyJson(action) ? before.task : make();
        },
      });
    },
  };
}

interface Parsing {
  readonly check: SchemaCheck;
  /** Returns a task of the list: a new one, or the one that was made before. */
  readonly toTask: (about: AboutTask, make: () => Task) => Task;
}

interface AboutTask {
  /** Position among the calls of the list. */
  readonly index: number;
  readonly id: string;
  readonly action: Action;
  /** How many ids of the list are renamed. Refs in the action may name any of them. */
  readonly renames: number;
}

/**
 * Splits the actions of a decision into own operations and tasks. The tasks get ids that are new in this run.
 */
export function parseActions(
  actions: readonly Action[],
  state: RunState,
  check?: SchemaCheck,
): ParsedActions {
  return createActionReader(() => state, check).finish(actions);
}

function parse(decided: readonly Action[], state: RunState, parsing: Parsing): ParsedActions {
  const planning = isPlain(state) ? decided.find(isPlanning) : undefined;
  if (planning !== undefined) return unusable(`${planning.operation}: ${NO_PLANNING}`);
  const steps = state.thinking?.brief?.steps ?? [];
  const { ended, actions, problem } = readUpdates(decided, steps, state);
  if (problem !== undefined && !actions.some(({ operation }) => operation !== 'reflect'))
    return unusable(problem);
  const read = readActions(actions, state, ended);
  if (typeof read === 'string') return unusable(read);
  const { outline, revision, removes = [] } = read;
  const asked = steps.filter((id) => !ended.has(id));
  const assigned = withSteps(read.actions, { asked, removes, state });
  if (typeof assigned === 'string') return unusable(assigned);
  const taken = sortedOut(assigned, state, { free: new Set(removes), settled: read.settled, ...parsing });
  if (removes.length > 0 || revision !== undefined) return { ...taken, outline, revision, removes };
  const left = steps.length > 0 ? notBegun(state, new Set([...steps, ...ended])) : [];
  // Later tasks of the plan are compiled together with these, because they may have to wait for each other.
  const isMixed = taken.tasks.length > 0 && left.some((task) => !isStep(task));
  if (!isMixed) return { ...taken, outline };
  return { ...taken, outline, tasks: [...taken.tasks, ...left], removes: left.map(({ id }) => id) };
}

const NO_PLANNING =
  'there are no plans and no steps in this run. Return only the next actions, with real values';

/** `planning.enabled: false`: the mind acts turn by turn and cannot make plans. */
export function isPlain({ settings: { mode, planning }, planGiven }: RunState): boolean {
  return mode === 'adaptive' && planning === undefined && !planGiven;
}

function isPlanning(action: Action): boolean {
  return action.operation === 'plan.propose' || isStep(action);
}

function unusable(problem: string): ParsedActions {
  return { operations: [], tasks: [], questions: [], problem };
}

interface Read {
  readonly actions: readonly Action[];
  readonly outline?: Outline | undefined;
  readonly removes?: readonly string[] | undefined;
  readonly revision?: Draft['revision'];
  /** Unchanged tasks of a refused plan. Their Refs are already correct and are not renamed. */
  readonly settled?: ReadonlySet<string>;
}

/** Replaces the operations that describe tasks by those tasks. */
function readActions(decided: readonly Action[], state: RunState, ended: ReadonlySet<string>): Read | string {
  if (!decided.some(changesPlan)) return { actions: decided };
  const [proposal, ...others] = decided.filter(({ operation }) => operation === 'plan.propose');
  const [revision, ...more] = decided.filter(({ operation }) => operation === 'plan.revise');
  const rest = decided.filter((action) => action !== proposal && action.operation !== 'plan.revise');
  if (others.length > 0) return 'plan.propose: there are two plans. Propose one that holds all';
  if (proposal !== undefined && revision !== undefined)
    return 'A plan is proposed and another is revised. Do one of the two';
  if (revision !== undefined) return withRevision(joined([revision, ...more]), { rest, state, ended });
  if (proposal === undefined) return { actions: decided };
  const hasCalls = rest.some(({ operation }) => !OWN_OPERATIONS.has(operation));
  const proposed = readProposal(proposal.args, hasCalls);
  if (typeof proposed === 'string') return proposed;
  return { actions: [withoutTasks(proposal), ...proposed.tasks, ...rest], outline: proposed.outline };
}

/** Whether the operation holds tasks that become a plan or change one. */
export function changesPlan({ operation }: Action): boolean {
  return operation === 'plan.propose' || operation === 'plan.revise';
}

/**
 * Removes the tasks from the operation. The plan has them already, and a copy would only fill the journal and
 * the prompt.
 */
function withoutTasks({ args: { steps: _, tasks: __, ...args }, ...action }: Action): Action {
  return { ...action, args };
}

interface Placing {
  /** The steps that the mind was asked to expand. */
  readonly asked: readonly string[];
  /** Tasks of the plan that are rewritten or removed. */
  readonly removes: readonly string[];
  readonly state: RunState;
}

/**
 * Assigns each task of a generated list to a step that the mind was asked to expand. A step that is already
 * in the plan is not created again. A string names a task that cannot be assigned.
 */
function withSteps(
  actions: readonly Action[],
  { asked, removes, state }: Placing,
): readonly Action[] | string {
  if (asked.length === 0 && !actions.some((action) => action.step !== undefined || isStep(action)))
    return actions;
  const written = new Set(actions.filter(isStep).map(({ id }) => id));
  const gone = new Set(removes);
  const isStanding = (id: unknown) => {
    const step = typeof id === 'string' && !gone.has(id) ? state.tasks.get(id) : undefined;
    return step !== undefined && isStep(step.task) && step.status !== 'succeeded';
  };
  const wanted = asked.filter((id) => isStanding(id) || written.has(id));
  const [only] = wanted.length === 1 ? wanted : [];
  const placed: Action[] = actions
    .filter((action) => !(isStep(action) && isStanding(action.args.step)))
    .map((action) => {
      const { step, ...bare }: Action = action;
      const isPlaced = isStanding(step) || (step !== undefined && written.has(step));
      if (OWN_OPERATIONS.has(action.operation) || isPlaced) return action;
      return only === undefined || only === action.id ? bare : { ...bare, step: only };
    });
  const stray = placed.find(
    ({ id, operation, step }) =>
      wanted.length > 1 && !OWN_OPERATIONS.has(operation) && step === undefined && !gone.has(id),
  );
  return stray === undefined
    ? placed
    : `${stray.id} (${stray.operation}) does not say for which step it is: add "step", one of ${wanted.join(', ')}`;
}

interface Sorting extends Parsing {
  /** Ids that may be used again. */
  readonly free: ReadonlySet<string>;
  readonly settled: ReadonlySet<string> | undefined;
}

function sortedOut(
  actions: readonly Action[],
  state: RunState,
  { free, settled, check, toTask }: Sorting,
): ParsedActions {
  const operations = actions.filter(({ operation }) => OWN_OPERATIONS.has(operation));
  const calls = actions.filter(({ operation }) => !OWN_OPERATIONS.has(operation));
  const { ids, map } = newIds(calls, state, free);
  const newSteps = new Set(calls.filter(isStep).map(({ id }) => id));
  const rename = (id: string) => map.get(id) ?? id;
  return {
    operations: operations.map((action) => ({
      ...action,
      args: renameIn(action.args, rename) as JsonObject,
    })),
    tasks: calls.map((action, index) => {
      const id = ids[index] ?? action.id;
      const isSettled = settled?.has(action.id) === true;
      return toTask({ index, id, action, renames: isSettled ? 0 : map.size }, () => {
        const task = renamed(action, id, isSettled ? (other) => other : rename);
        // A call may have the same id as its step.
        const isMeant = action.step === undefined || newSteps.has(action.step);
        return isMeant ? task : { ...task, step: action.step };
      });
    }),
    questions: operations
      .filter(({ operation }) => operation === 'ask')
      .map((action, index) => toQuestion(action, { state, index, check })),
  };
}

interface Revising {
  readonly rest: readonly Action[];
  readonly state: RunState;
  /** Steps that this decision ends. */
  readonly ended: ReadonlySet<string>;
}

/** Corrects a refused plan or changes an accepted one. */
function withRevision(revision: Action, revising: Revising): Read | string {
  const { rest, state } = revising;
  const { refused } = state;
  // A step may have ended in the meantime.
  const isOpen = ({ id }: Pick<Task, 'id'>) => state.tasks.get(id)?.status !== 'succeeded';
  if (refused !== undefined) {
    // The result is the same as if the mind had written the whole plan again.
    const tasks = revised(refused.tasks.filter(isOpen), revision.args);
    if (typeof tasks === 'string') return (refused.revision && changeAgain(revision, revising)) ?? tasks;
    if (tasks.length + rest.length === 0)
      return 'plan.revise: the plan has no tasks any more (empty-plan). Keep or add one, or answer';
    const old = new Set<Action>(refused.tasks);
    const settled = new Set(tasks.filter((task) => old.has(task)).map(({ id }) => id));
    return {
      ...refused,
      removes: refused.removes?.filter((id) => isOpen({ id })),
      actions: [...tasks, ...rest],
      settled,
    };
  }
  if (state.tasks.size === 0) return 'plan.revise: there is no plan yet, so there is nothing to revise';
  if (revisionsLeft(state) === 0)
    return 'plan.revise: the plan was revised as often as it may be. Go on with what it has, or answer';
  return changed(revision, revising);
}

function changed(revision: Action, { rest, state, ended }: Revising): Read | string {
  const change = changePlan(state, revision.args, ended);
  if (typeof change === 'string') return change;
  const { tasks, removes, ...why } = change;
  return { actions: [...tasks, ...rest], removes, revision: why };
}

/** The mind may repeat a refused change in full, with the ids of the accepted plan. */
function changeAgain(revision: Action, revising: Revising): Read | undefined {
  const read = changed(revision, revising);
  return typeof read === 'string' ? undefined : read;
}

/**
 * Models count from t1 at every turn. An id that an earlier plan used gets a number, and Refs to it in the
 * same list follow. Duplicate ids within one list are kept, so that the compiler reports them.
 */
function newIds(
  calls: readonly Action[],
  state: RunState,
  free: ReadonlySet<string>,
): { ids: string[]; map: Map<string, string> } {
  const map = new Map<string, string>();
  const used = new Set(calls.map(({ id }) => id));
  const isUsed = (id: string) => used.has(id) || state.tasks.has(id);
  const ids = calls.map(({ id }, index) => {
    const wanted = id === '' ? `t${state.tasks.size + index + 1}` : id;
    const known = map.get(id);
    if (known !== undefined) return known;
    if (wanted === id && (!state.tasks.has(id) || free.has(id))) return id;
    let fresh = wanted;
    for (let number = 2; isUsed(fresh); number++) fresh = `${wanted}_${number}`;
    used.add(fresh);
    if (id !== '') map.set(id, fresh);
    return fresh;
  });
  return { ids, map };
}

interface Questioning {
  readonly state: RunState;
  readonly index: number;
  readonly check: SchemaCheck;
}

function toQuestion(action: Action, { state, index, check }: Questioning): Fact {
  const id = nextQuestion(state, index);
  return {
    type: 'question_asked',
    data: { question: { id, kind: 'missing_input', ...readQuestion(action.args, check) } },
  };
}
