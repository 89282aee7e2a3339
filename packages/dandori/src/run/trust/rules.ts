import { asText, isObject, type JsonObject } from '../../model/json.ts';
import type { TrustRule } from '../../model/settings.ts';
import { SUB_GOAL } from '../../model/sub-goal.ts';
import type { Ref } from '../../model/task.ts';
import type { Tool } from '../../model/tool.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import { isTrustedSource } from '../state/orders.ts';
import type { RunState, TaskState } from '../state/state.ts';
import { lineage } from './lineage.ts';
import type { Origin } from './verdict.ts';

interface Ruled {
  readonly does: TrustRule['do'];
  /** Its position in `trust.rules`. */
  readonly rule: number;
  /** The values that it is about. */
  readonly values: readonly Origin[];
}

interface Known {
  readonly state: RunState;
  readonly tools: ReadonlyMap<string, Tool>;
}

const STRENGTH: readonly TrustRule['do'][] = ['deny', 'ask', 'allow'];

/**
 * The strongest rule that is about this call. After the mind has read external content, any value of a call may come
 * from it, so `deny` and `ask` apply to all of them. An `allow` with a source, or for one argument, decides only what may
 * aim an ordered call, and not whether a call is ordered.
 */
export function ruleFor(task: TaskState, args: JsonObject, known: Known): Ruled | undefined {
  const { rules = [] } = known.state.settings.trust ?? {};
  if (rules.length === 0) return undefined;
  for (const does of STRENGTH)
    for (const [rule, one] of rules.entries()) {
      const isPartial = one.from !== undefined || !isFor(one, task.task.operation);
      if (one.do !== does || (does === 'allow' && isPartial)) continue;
      const values = valuesUnder(one, { task, args, known });
      if (values !== undefined) return { does, rule, values };
    }
  return undefined;
}

interface Ruling {
  readonly task: TaskState;
  readonly args: JsonObject;
  readonly known: Known;
}

/** The values that the rule is about. Undefined if it is not about this call. */
function valuesUnder(rule: TrustRule, { task, args, known }: Ruling): Origin[] | undefined {
  const { operation } = task.task;
  if (rule.from === undefined && isFor(rule, operation)) return [];
  const values = Object.entries(args)
    .filter(([name]) => isFor(rule, operation) || isFor(rule, `${operation}.${name}`))
    .flatMap(([name, value]) => {
      const source = [...sourcesOf(name, { task, known })].find((one) => isOf(rule, one) || isOfMany(one));
      return source === undefined ? [] : [{ argument: name, value: asText(value), operation: source }];
    });
  return values.length === 0 ? undefined : values;
}

/** The tools whose results may be in this argument. */
function sourcesOf(name: string, { task, known }: Pick<Ruling, 'task' | 'known'>): Iterable<string> {
  const { state } = known;
  const written = task.task.args[name] ?? null;
  const byRef = refsIn(written).flatMap(({ ref }) => strangersIn(state, ref.task, true));
  if (task.isOrdered && !task.isPermitted) return withCalls(byRef, known);
  // The mind may have made it from anything that it has read, also if it is found in one result.
  const read = state.ends.flatMap(({ task: one }) => [one.task.operation, one.probe ?? []].flat());
  return withCalls([...byRef, ...read], known);
}

/** A service returns what the tools that it calls have read. */
function withCalls(operations: readonly string[], { tools }: Known): ReadonlySet<string> {
  const found = new Set(operations);
  // A set also visits what is added to it while it is visited.
  for (const operation of found) for (const called of tools.get(operation)?.calls ?? []) found.add(called);
  return found;
}

/** The tools in the lineage of a result: those that are not trusted, or all. */
export function strangersIn(state: RunState, id: string, isAll = false): string[] {
  return [...lineage(state, id)]
    .flatMap((one) => {
      const { task, probe } = state.tasks.get(one) ?? {};
      return [task?.operation ?? [], probe ?? []].flat();
    })
    .filter((operation) => isAll || !isTrustedSource(state, operation));
}

/** What a run of its own or an earlier run has read may be anything. */
function isOfMany(operation: string): boolean {
  return operation === SUB_GOAL || operation === 'conversation.read';
}

export function isFor({ to }: TrustRule, name: string): boolean {
  return matches(to, name);
}

export function isOf({ from = '*' }: TrustRule, operation: string): boolean {
  return matches(from, operation);
}

/** `*` stands for any text. A model may write a name with a line break. */
function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(name);
}

/** Whether the schema of `extract` leaves a stranger little to say, and `trust.endorse` names its kind. */
export function isLowBandwidth({ task: id, path }: Ref, { tasks, settings }: RunState): boolean {
  const { endorse = [] } = settings.trust ?? {};
  const task = tasks.get(id);
  if (endorse.length === 0 || task?.task.operation !== 'extract' || path !== 'value') return false;
  const { schema } = task.task.args;
  // If external content wrote the list, its values are untrusted too.
  const kind = isObject(schema) && refsIn(schema).length === 0 ? kindOf(schema) : undefined;
  return kind !== undefined && endorse.includes(kind) && task.isOrdered;
}

type Kind = NonNullable<NonNullable<RunState['settings']['trust']>['endorse']>[number];

function kindOf({ type, enum: values, minimum, maximum, format }: JsonObject): Kind | undefined {
  if (Array.isArray(values)) return 'enum';
  if (type === 'boolean') return 'boolean';
  if (type === 'number' || type === 'integer')
    return typeof minimum === 'number' && typeof maximum === 'number' ? 'number' : undefined;
  const isDate = type === 'string' && ['date', 'date-time', 'time'].includes(String(format));
  return isDate ? 'date' : undefined;
}
