import { numberFrom } from '../model/json/numbers.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Diagnostic } from '../model/plan.ts';
import type { Task } from '../model/task.ts';
import { isOneLetterOff, sameLastPart } from '../model/text.ts';
import { type SchemaCheck, type Tool, withinOneLimit } from '../model/tool.ts';

interface RepairContext {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly check: SchemaCheck;
}

interface Repaired {
  readonly tasks: readonly Task[];
  /** What was changed, for the journal. */
  readonly notes: readonly string[];
}

/**
 * Corrects mistakes with only one possible meaning, so that the model need not be asked again. It corrects
 * the name of a read-only tool that is off by one letter or has an unknown server, if the arguments fit its
 * schema. It also corrects a number given as text, and an argument whose name is written in another way (`cityName` for
 * `city_name`). Undefined if any mistake is of another kind; then nothing is changed.
 */
export function repair(
  tasks: readonly Task[],
  diagnostics: readonly Diagnostic[],
  context: RepairContext,
): Repaired | undefined {
  const limited = { ...context, check: withinOneLimit(context.check) };
  const repaired = new Map(tasks.map((task) => [task.id, task]));
  const notes: string[] = [];
  for (const diagnostic of diagnostics) {
    const task = repaired.get(diagnostic.task ?? '');
    if (diagnostic.code === 'invalid-args' && task !== undefined && isFixed(task, limited)) continue;
    const fixed = task === undefined ? undefined : fix(task, diagnostic, limited);
    if (task === undefined || fixed === undefined) return undefined;
    repaired.set(task.id, fixed.task);
    notes.push(`${task.id}: ${fixed.note}`);
  }
  return { tasks: [...repaired.values()], notes };
}

type Fixed = { readonly task: Task; readonly note: string } | undefined;

function fix(task: Task, { code, path = [] }: Diagnostic, context: RepairContext): Fixed {
  if (code === 'unknown-operation') return otherTool(task, context);
  if (code !== 'invalid-args') return undefined;
  return otherNames(task, context) ?? otherType(task, path.slice(1), context);
}

/** An earlier correction of this task may have removed several problems. */
function isFixed({ operation, args }: Task, { tools, check }: RepairContext): boolean {
  const tool = tools.get(operation);
  return tool !== undefined && check(tool.inputSchema, args).length === 0;
}

/** All arguments must fit then, so that a guess never changes what is called. */
function otherNames(task: Task, { tools, check }: RepairContext): Fixed {
  const tool = tools.get(task.operation);
  const { properties = {} } = tool?.inputSchema ?? {};
  const declared = isObject(properties) ? Object.keys(properties) : [];
  const notes: string[] = [];
  const entries = Object.entries(task.args).map(([name, value]): [string, Json] => {
    if (declared.includes(name)) return [name, value];
    const meant = declared.filter((one) => lettersOf(one) === lettersOf(name) && !(one in task.args));
    const [only] = meant;
    if (only === undefined || meant.length > 1) return [name, value];
    notes.push(`${name} is taken for ${only}`);
    return [only, value];
  });
  const args = Object.fromEntries(entries);
  if (tool === undefined || notes.length === 0 || entries.length !== Object.keys(args).length)
    return undefined;
  if (check(tool.inputSchema, args).length > 0) return undefined;
  return { task: { ...task, args }, note: notes.join(', ') };
}

function lettersOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

function otherTool(task: Task, { tools, check }: RepairContext): Fixed {
  const names = intendedNames(task.operation, [...tools.keys()]);
  const [name] = names;
  const tool = name === undefined ? undefined : tools.get(name);
  // A wrong guess must do no harm. `slot1` for `slot2` is more likely a choice than a typo.
  if (names.length !== 1 || tool?.effect !== 'read' || digitsOf(tool.name) !== digitsOf(task.operation))
    return undefined;
  if (check(tool.inputSchema, task.args).length > 0) return undefined;
  return { task: { ...task, operation: tool.name }, note: `${task.operation} is taken for ${tool.name}` };
}

function intendedNames(operation: string, names: readonly string[]): string[] {
  const near = names.filter((name) => isOneLetterOff(name, operation));
  const server = operation.slice(0, operation.lastIndexOf('.') + 1);
  const isThere = server !== '' && names.some((name) => name.startsWith(server));
  return near.length > 0 || isThere ? near : sameLastPart(operation, names);
}

function digitsOf(name: string): string {
  return name.replaceAll(/\P{Nd}/gu, '');
}

function otherType(task: Task, path: readonly (string | number)[], { tools, check }: RepairContext): Fixed {
  const tool = tools.get(task.operation);
  const text = path.reduce<Json | undefined>(
    (value, part) => (isObject(value) ? value[part] : undefined),
    task.args,
  );
  // An integer is exact at any length. A decimal with more digits would not be the written number.
  const isNumber =
    typeof text === 'string' &&
    (/^-?\d{1,100}$/.test(text) || (/^-?\d+\.\d+$/.test(text) && text.length <= 15));
  if (tool === undefined || !isNumber || path.length === 0) return undefined;
  const number = numberFrom(text) ?? null;
  const args = replaced(task.args, path, number);
  const isSame = (issue: { path: readonly (string | number)[] }) => issue.path.join('.') === path.join('.');
  if (check(tool.inputSchema, args).some(isSame)) return undefined;
  return { task: { ...task, args }, note: `${path.join('.')} is taken for the number ${number}` };
}

function replaced(value: JsonObject, [key, ...rest]: readonly (string | number)[], by: Json): JsonObject {
  const inner = value[key ?? ''];
  return { ...value, [key ?? '']: rest.length === 0 || !isObject(inner) ? by : replaced(inner, rest, by) };
}
