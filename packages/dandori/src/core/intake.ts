import type { Fact } from '../domain/event.ts';
import type { JsonObject, Json } from '../domain/json.ts';
import type { Option } from '../domain/question.ts';
import { type Action, TASK_ID, type Task } from '../domain/task.ts';
import { mayHoldRef, parseTemplate } from './reference.ts';
import type { RunState } from './state.ts';

/** Our own operations. Everything else is a tool. */
export const OWN_OPERATIONS: ReadonlySet<string> = new Set(['answer', 'ask']);

export interface Taken {
  readonly operations: Action[];
  readonly tasks: Task[];
  readonly questions: Fact[];
}

/** Sorts a decision's actions into our own operations and tasks with ids that are new in this run. */
export function takeIn(actions: readonly Action[], state: RunState): Taken {
  const operations = actions.filter(({ operation }) => OWN_OPERATIONS.has(operation));
  const calls = actions.filter(({ operation }) => !OWN_OPERATIONS.has(operation));
  const renamed = newIds(calls, state);
  const tasks = calls.map((action, index) => withIds(action, renamed.ids[index] ?? action.id, renamed.map));
  return {
    operations: operations.map((action) => ({ ...action, args: renameIn(action.args, renamed.map) as JsonObject })),
    tasks,
    questions: operations.filter(({ operation }) => operation === 'ask').map((action, index) => toQuestion(action, state, index)),
  };
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
    const known = map.get(wanted);
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

function withIds(action: Action, id: string, map: ReadonlyMap<string, string>): Task {
  if (map.size === 0) return { ...action, id };
  return {
    ...action,
    id,
    args: renameIn(action.args, map) as JsonObject,
    ...(action.after !== undefined && { after: action.after.map((target) => map.get(target) ?? target) }),
  };
}

function renameIn(value: Json, map: ReadonlyMap<string, string>): Json {
  if (map.size === 0) return value;
  if (typeof value === 'string') return mayHoldRef(value) ? renameInText(value, map) : value;
  if (Array.isArray(value)) return value.map((item) => renameIn(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renameIn(item, map)]));
}

function renameInText(text: string, map: ReadonlyMap<string, string>): string {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return text;
  return parsed.template
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll('${', '$${');
      const path = part.path === '' || part.path.startsWith('[') ? part.path : `.${part.path}`;
      return `\${${map.get(part.task) ?? part.task}${part.path.startsWith('@ |') ? part.path.slice(1) : path}}`;
    })
    .join('');
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
  return typeof option === 'string' ? { label: option, value: option } : { label: JSON.stringify(option), value: option };
}

export function isUsableId(id: string): boolean {
  return TASK_ID.test(id);
}
