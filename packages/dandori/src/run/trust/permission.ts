import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Tool } from '../../model/tool.ts';
import { query } from '../../plan/query.ts';
import type { Permission, Source } from '../state/orders.ts';
import type { RunState, TaskState } from '../state/state.ts';
import { aimsOf } from './aim.ts';
import { lineageOf } from './lineage.ts';

interface Known {
  readonly state: RunState;
  readonly tool: Tool;
  readonly resultOf: (task: string) => Json | undefined;
}

/** Whether this permission covers the call: each argument is as announced. */
export function isPermitted(
  { task }: TaskState,
  args: JsonObject,
  { permission, known }: { readonly permission: Permission; readonly known: Known },
): boolean {
  const { operation, args: announced, left } = permission;
  if (operation !== task.operation || left === 0) return false;
  const { trust } = known.state.settings;
  const aims = trust?.policy === 'strict' ? aimsOf(known.tool, args, trust.aims) : [];
  // An argument that is left out changes the call too: a filter, a limit, a dry run.
  const names = new Set([...Object.keys(args), ...Object.keys(announced)]);
  return [...names].every((name) => {
    const needsTrust = aims.includes(name);
    return Object.hasOwn(args, name) && fits(args[name] ?? null, announced[name], { ...known, needsTrust });
  });
}

/** `needsTrust`: under `strict` a stranger's result aims nothing. */
type Needed = Known & { readonly needsTrust: boolean };

function fits(value: Json, announced: Json | undefined, known: Needed): boolean {
  if (announced === undefined) return false;
  if (canonicalJson(value) === canonicalJson(announced)) return true;
  if (Array.isArray(value) && Array.isArray(announced))
    return (
      value.length === announced.length && value.every((item, index) => fits(item, announced[index], known))
    );
  if (!isObject(announced) || typeof announced.from !== 'string') return false;
  const { from, path } = announced;
  return isFrom(value, { from, path: typeof path === 'string' ? path : '' }, known);
}

/**
 * Whether the value is what the path finds in the result of an ordered call whose arguments were ordered too.
 * A name finds the fields with that name. If they differ, the mind would choose among them, and a stranger
 * could choose for it.
 */
function isFrom(value: Json, { from, path }: Source, { state, resultOf, needsTrust }: Needed): boolean {
  const wanted = canonicalJson(value);
  return state.ends.some(({ task }) => {
    if (task.task.operation !== from || task.status !== 'succeeded') return false;
    const { isOrdered, isTrusted } = lineageOf(state, task.task.id);
    if (!isOrdered || (needsTrust && !isTrusted)) return false;
    const result = resultOf(task.task.id);
    if (result === undefined) return false;
    const found = NAME.test(path) ? fieldsNamed(path, result) : foundAt(result, path);
    const distinct = [...new Set(found.map((one) => canonicalJson(one)))];
    if (Array.isArray(value) && canonicalJson(found) === wanted) return true;
    return distinct.length === 1 && distinct[0] === wanted && !isLongText(value);
  });
}

const NAME = /^[A-Za-z_]\w*$/;
/** The most fields of a result that are compared with an argument. */
const MOST_FIELDS = 100_000;

function fieldsNamed(name: string, result: Json): Json[] {
  const found: Json[] = [];
  let left = MOST_FIELDS;
  const visit = (value: Json) => {
    if (left-- <= 0) return;
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) {
        if (key === name) found.push(item);
        else visit(item);
      }
  };
  visit(result);
  return found;
}

function foundAt(result: Json, path: string): Json[] {
  try {
    const found = path === '' ? result : query(result, path);
    return found === undefined ? [] : Array.isArray(found) ? found : [found];
  } catch {
    return [];
  }
}

/** A field of this length is prose. It names nothing that a call could be aimed at. */
const LONGEST_AIM = 500;

export function isLongText(value: Json): boolean {
  if (typeof value === 'string') return value.length > LONGEST_AIM || /\n\s*\S/.test(value);
  if (Array.isArray(value)) return value.some(isLongText);
  return isObject(value) && Object.values(value).some(isLongText);
}
