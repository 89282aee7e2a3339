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
  /** Tasks that were never begun and stand in `tasks` again. */
  readonly removes?: readonly string[] | undefined;
  /** Where an accepted plan is changed. */
  readonly revision?: Draft['revision'];
  /** Why the decision cannot be used. */
  readonly problem?: string;
}

/** Reads the actions of one decision, one by one while the mind writes them, and all of them at the end. */
export interface ActionReader {
  /** The task that a call becomes, with the id that it will have in the run; undefined where it becomes none. */
  add(call: Action): Task | undefined;
  /** The whole decision. A task that `add` has made of the same action is the same object. */
  finish(actions: readonly Action[]): ParsedActions;
}

export function createActionReader(state: () => RunState, check: SchemaCheck = () => []): ActionReader {
  const made: { readonly action: Action; readonly task: Task; readonly renames: number }[] = [];
  return {
    add(call) {
      // Without arguments, so that a long list is not read again and again for the Refs in them.
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
  /** A task of the list, made now or taken as it was made before. */
  readonly toTask: (about: AboutTask, make: () => Task) => Task;
}

interface AboutTask {
  /** Among the calls of the list. */
  readonly index: number;
  readonly id: string;
  readonly action: Action;
  /** How many ids of the list are renamed: Refs in the action may name any of them. */
  readonly renames: number;
}

/** Sorts a decision's actions into our own operations and tasks with ids that are new in this run. */
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
  // Later tasks of the plan are compiled again with these, because they may have to wait for each other.
  const isMixed = taken.tasks.length > 0 && left.some((task) => !isStep(task));
  if (!isMixed) return { ...taken, outline };
  return { ...taken, outline, tasks: [...taken.tasks, ...left], removes: left.map(({ id }) => id) };
}

const NO_PLANNING =
  'there are no plans and no steps in this run. Return only the next actions, with real values';

/** `planning.enabled: false`: one turn after the other, whatever the mind would like. */
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
  /** Tasks of a refused plan that stay as they are: what they refer to was settled when they were written. */
  readonly settled?: ReadonlySet<string>;
}

/** Operations that stand for tasks, with the tasks that they stand for. */
function readActions(decided: readonly Action[], state: RunState, ended: ReadonlySet<string>): Read | string {
  const [proposal, ...others] = decided.filter(({ operation }) => operation === 'plan.propose');
  const [revision, ...more] = decided.filter(({ operation }) => operation === 'plan.revise');
  const rest = decided.filter((action) => action !== proposal && action.operation !== 'plan.revise');
  if (others.length > 0) return 'plan.propose: there are two plans. Propose one that holds all';
  if (proposal !== undefined && revision !== undefined)
    return 'A plan is proposed and another is revised. Do one of the two';
  if (revision !== undefined) return withRevision(joined([revision, ...more]), { rest, state, ended });
  if (proposal === undefined) return { actions: decided };
  const proposed = readProposal(proposal.args);
  if (typeof proposed === 'string') return proposed;
  return { actions: [withoutTasks(proposal), ...proposed.tasks, ...rest], outline: proposed.outline };
}

/** The tasks stand in the plan; a second time they would only fill the journal and the prompt. */
function withoutTasks({ args: { steps: _, tasks: __, ...args }, ...action }: Action): Action {
  return { ...action, args };
}

interface Placing {
  /** The steps that were asked for. */
  readonly asked: readonly string[];
  /** Tasks of the plan that are written again or removed. */
  readonly removes: readonly string[];
  readonly state: RunState;
}

/**
 * Each task of a generated list belongs to a step that was asked for, and a step that is in the plan already is not
 * made again. A text says which of them cannot be placed.
 */
function withSteps(
  actions: readonly Action[],
  { asked, removes, state }: Placing,
): readonly Action[] | string {
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
        // A call may have the name of the step that it is for.
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

/** Corrections of a plan that was refused, or changes of one that was accepted. */
function withRevision(revision: Action, surroundings: Revising): Read | string {
  const { rest, state } = surroundings;
  const { refused } = state;
  // A step may have been ended since.
  const isOpen = ({ id }: Pick<Task, 'id'>) => state.tasks.get(id)?.status !== 'succeeded';
  if (refused !== undefined) {
    // ParsedActions as if the mind had written all of it again.
    const tasks = revised(refused.tasks.filter(isOpen), revision.args);
    if (typeof tasks === 'string') return (refused.revision && changeAgain(revision, surroundings)) ?? tasks;
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
  return changed(revision, surroundings);
}

function changed(revision: Action, { rest, state, ended }: Revising): Read | string {
  const change = changePlan(state, revision.args, ended);
  if (typeof change === 'string') return change;
  const { tasks, removes, ...why } = change;
  return { actions: [...tasks, ...rest], removes, revision: why };
}

/** A change that was refused may come again as a whole, in the words of the plan that it is a change of. */
function changeAgain(revision: Action, surroundings: Revising): Read | undefined {
  const read = changed(revision, surroundings);
  return typeof read === 'string' ? undefined : read;
}

/**
 * Models count from t1 at every turn. An id that an earlier plan has used gets a number, and Refs to it within the
 * same list follow. Two equal ids in one list are left alone: that is a mistake for the compiler to report.
 */
function newIds(
  calls: readonly Action[],
  state: RunState,
  free: ReadonlySet<string>,
): { ids: string[]; map: Map<string, string> } {
  const map = new Map<string, string>();
  const used = new Set([...state.tasks.keys(), ...calls.map(({ id }) => id)]);
  const ids = calls.map(({ id }, index) => {
    const wanted = id === '' ? `t${state.tasks.size + index + 1}` : id;
    const known = map.get(id);
    if (known !== undefined) return known;
    if (wanted === id && (!state.tasks.has(id) || free.has(id))) return id;
    let fresh = wanted;
    for (let number = 2; used.has(fresh); number++) fresh = `${wanted}_${number}`;
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
