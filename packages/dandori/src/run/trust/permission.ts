import { asObject, canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import type { Tool } from '../../model/tool.ts';
import { query } from '../../plan/query.ts';
import { isNumeric } from '../../plan/query-functions.ts';
import { isOwnName, type Permission, type Source } from '../state/orders.ts';
import type { RunState, TaskState } from '../state/state.ts';
import { aimsOf } from './aim.ts';
import { lineageOf } from './lineage.ts';
import { isLongText, selects } from './selection.ts';

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
  const aims = isOwnTool(known.tool) ? [] : aimsOf(known.tool, args, trust?.aims);
  // An argument that is left out changes the call too: a filter, a limit, a dry run.
  const names = new Set([...Object.keys(args), ...Object.keys(announced)]);
  return [...names].every((name) => {
    const isAim = aims.includes(name);
    const needed = { ...known, isAim, needsTrust: isAim && trust?.policy === 'strict' };
    return Object.hasOwn(args, name) && fits(args[name] ?? null, announced[name], needed);
  });
}

/** `needsTrust`: under `strict`, an untrusted result must not aim a call. `isAim`: long text must not aim a call. */
type Needed = Known & { readonly isAim: boolean; readonly needsTrust: boolean };

function fits(value: Json, announced: Json | undefined, known: Needed): boolean {
  if (announced === undefined) return false;
  if (canonicalJson(value) === canonicalJson(announced)) return true;
  if (Array.isArray(value) && Array.isArray(announced))
    return (
      value.length === announced.length && value.every((item, index) => fits(item, announced[index], known))
    );
  if (!isObject(announced)) return false;
  if (typeof announced.from !== 'string') {
    if (!isObject(value)) return false;
    const names = new Set([...Object.keys(value), ...Object.keys(announced)]);
    return [...names].every(
      (name) => Object.hasOwn(value, name) && fits(value[name] ?? null, announced[name], known),
    );
  }
  const { from, path, args } = announced;
  const source = { from, path: typeof path === 'string' ? path : '', args: asObject(args) };
  return isFrom(value, source, known);
}

/**
 * Whether the value is what the path finds in the result of an ordered call whose arguments were ordered too.
 * A name finds the fields with that name. If they differ, or if several calls are meant, the mind would choose
 * among them, and a stranger could choose for it.
 */
function isFrom(value: Json, source: Source, { state, resultOf, isAim, needsTrust }: Needed): boolean {
  const { from, path } = source;
  // The mind has put together what an own tool returns.
  if (isAim && (isLongText(value) || isOwnName(from))) return false;
  if (isAim && !isNumeric(value) && !selects(source)) return false;
  const meant = callsMeant(source, state);
  const wanted = canonicalJson(value);
  return meant.some(({ task: { id }, status }) => {
    const result = status === 'succeeded' ? resultOf(id) : undefined;
    if (result === undefined || (needsTrust && !lineageOf(state, id).isTrusted)) return false;
    const found = NAME.test(path) ? fieldsNamed(path, result) : foundAt(result, path);
    const distinct = [...new Set(found.map((one) => canonicalJson(one)))];
    if (Array.isArray(value) && canonicalJson(found) === wanted) return true;
    return distinct.length === 1 && distinct[0] === wanted;
  });
}

/**
 * The ordered calls that a source refers to. Empty if that is ambiguous, for example because another such call is
 * still pending.
 */
function callsMeant({ from, args }: Source, state: RunState): readonly TaskState[] {
  const { tasks, orders } = state;
  const isMeant = (of: JsonObject) =>
    Object.entries(args).every(([name, value]) => canonicalJson(of[name] ?? null) === canonicalJson(value));
  const made = [...tasks.values()].filter(
    ({ task, sent = task.args }) =>
      task.operation === from && isMeant(sent) && lineageOf(state, task.id).isOrdered,
  );
  const calls = new Set(made.map(({ task, sent = task.args }) => canonicalJson(sent)));
  const isToCome = orders.permissions.some(
    (one) =>
      one.operation === from && one.left > 0 && isMeant(one.args) && !calls.has(canonicalJson(one.args)),
  );
  return calls.size > 1 || isToCome ? [] : made;
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
