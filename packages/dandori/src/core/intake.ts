import type { Fact } from '../domain/event.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Option } from '../domain/question.ts';
import type { Action, Task } from '../domain/task.ts';
import { OWN_OPERATIONS } from './own-operations.ts';
import { mayHoldRef, parseTemplate, writeTemplate } from './reference.ts';
import { revised } from './revision.ts';
import type { RunState } from './state.ts';

export interface Taken {
  readonly operations: Action[];
  readonly tasks: Task[];
  readonly questions: Fact[];
  /** Why the decision cannot be used. */
  readonly problem?: string;
}

/** Sorts a decision's actions into our own operations and tasks with ids that are new in this run. */
export function takeIn(decided: readonly Action[], state: RunState): Taken {
  const actions = withRevision(decided, state);
  if (typeof actions === 'string') return { operations: [], tasks: [], questions: [], problem: actions };
  const operations = actions.filter(({ operation }) => OWN_OPERATIONS.has(operation));
  const calls = actions.filter(({ operation }) => !OWN_OPERATIONS.has(operation));
  const renamed = newIds(calls, state);
  const tasks = calls.map((action, index) => withIds(action, renamed.ids[index] ?? action.id, renamed.map));
  return {
    operations: operations.map((action) => ({
      ...action,
      args: renameIn(action.args, (task) => renamed.map.get(task) ?? task) as JsonObject,
    })),
    tasks,
    questions: operations
      .filter(({ operation }) => operation === 'ask')
      .map((action, index) => toQuestion(action, state, index)),
  };
}

/** A refused plan with its corrections is taken as if the mind had written all of it again. */
function withRevision(actions: readonly Action[], state: RunState): readonly Action[] | string {
  const revision = actions.find(({ operation }) => operation === 'plan.revise');
  if (revision === undefined) return actions;
  const last = state.decisions.findLast(({ failure }) => failure === undefined);
  if (last?.diagnostics === undefined)
    return 'plan.revise: no plan was refused, so there is nothing to revise';
  const tasks = revised(last.proposed, revision.args);
  return typeof tasks === 'string' ? tasks : [...tasks, ...actions.filter((action) => action !== revision)];
}

/**
 * Models count from t1 at every turn. An id that an earlier plan has used gets a number, and Refs to it within the
 * same list follow. Two equal ids in one list are left alone: that is a mistake for the compiler to report.
 */
function newIds(calls: readonly Action[], state: RunState): { ids: string[]; map: Map<string, string> } {
  const map = new Map<string, string>();
  const used = new Set([...state.tasks.keys(), ...calls.map(({ id }) => id)]);
  const ids = calls.map(({ id }, index) => {
    const wanted = id === '' ? `t${state.tasks.size + index + 1}` : id;
    const known = map.get(id);
    if (known !== undefined) return known;
    if (wanted === id && !state.tasks.has(id)) return id;
    let fresh = wanted;
    for (let number = 2; used.has(fresh); number++) fresh = `${wanted}_${number}`;
    used.add(fresh);
    if (id !== '') map.set(id, fresh);
    return fresh;
  });
  return { ids, map };
}

type Rename = (task: string) => string;

function withIds(action: Action, id: string, map: ReadonlyMap<string, string>): Task {
  if (map.size === 0) return { ...action, id };
  // No task can mean itself: "t1" within the new t1 is the t1 of an earlier plan.
  const rename: Rename = (task) => (task === action.id ? task : (map.get(task) ?? task));
  return {
    ...action,
    id,
    args: renameIn(action.args, rename) as JsonObject,
    ...(action.after !== undefined && { after: action.after.map(rename) }),
  };
}

function renameIn(value: Json, rename: Rename): Json {
  if (typeof value === 'string') return mayHoldRef(value) ? renameInText(value, rename) : value;
  if (Array.isArray(value)) return value.map((item) => renameIn(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameIn(item, rename)]));
}

function renameInText(text: string, rename: Rename): string {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return text;
  return writeTemplate(
    parsed.template.map((part) => (typeof part === 'string' ? part : { ...part, task: rename(part.task) })),
  );
}

function toQuestion(action: Action, state: RunState, index: number): Fact {
  const { question: text, options } = action.args;
  const choices = Array.isArray(options) ? options.map(toOption) : [];
  return {
    type: 'question_asked',
    data: {
      question: {
        id: `q${state.questions.size + index + 1}`,
        kind: 'missing_input',
        text: typeof text === 'string' ? text : JSON.stringify(action.args),
        ...(choices.length > 0 && { options: choices }),
      },
    },
  };
}

function toOption(option: Json): Option {
  return typeof option === 'string'
    ? { label: option, value: option }
    : { label: JSON.stringify(option), value: option };
}
