import type { FactOf } from '../../../model/event.ts';
import { type JsonObject, stringifyJson } from '../../../model/json.ts';
import type { Access } from '../../../model/plan.ts';
import type { Option } from '../../../model/question.ts';
import { isStep } from '../../../model/task.ts';
import type { Effect } from '../../../model/tool.ts';
import { escaped, refsIn, replacePlaceholders } from '../../../plan/fill-refs.ts';
import type { InnerCall } from '../inner-calls.ts';
import type { RunState } from '../state.ts';
import type { TaskState } from '../task-state.ts';

/*
 * The rules of 0.1 and 0.2 that `upgrade` needs, copied from the code of that time. The current code has its
 * own. A change there must not change how an old journal reads, so nothing here is shared with it except the
 * notation of plans (Refs and placeholders).
 */

function isRepeatable(effect: Effect): boolean {
  return effect === 'read' || effect === 'idempotent';
}

function hasEnded({ status }: TaskState): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'blocked';
}

/** Whether `plan.update_step` ended a step. */
export function endsStep({ tasks }: RunState, { step: id, status }: JsonObject): boolean {
  const step = typeof id === 'string' ? tasks.get(id) : undefined;
  if (step === undefined || !isStep(step.task) || hasEnded(step)) return false;
  return (status === 'completed' || status === 'failed') && step.links.open === 0;
}

export function isJapanese({ goal, settings }: Pick<RunState, 'goal' | 'settings'>): boolean {
  const { language } = settings;
  if (language !== undefined) return language === 'ja';
  return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(goal);
}

/** The longest prefix of the operation that has a limit, or its first part. */
export function laneOf(operation: string, limits: Readonly<Record<string, unknown>> = {}): string {
  const parts = operation.split('.');
  for (let length = parts.length - 1; length > 1; length--) {
    const server = parts.slice(0, length).join('.');
    if (Object.hasOwn(limits, server)) return server;
  }
  return parts[0] ?? operation;
}

/** The arguments of a task after a choice changed them. */
export function withChoice({ override, task }: TaskState, { args }: Pick<Option, 'args'>): JsonObject {
  return { ...(override ?? task.args), ...(args && (escaped(args) as JsonObject)) };
}

/** Later tasks that wait while a person chooses. */
export function heldBackBy(state: RunState, task: TaskState, options: readonly JsonObject[]): string[] {
  const found = options.flatMap((args) => around(state, task, args).later.filter((one) => !hasTouched(one)));
  return [...new Set(found)].filter((one) => canWait(one, task)).map(({ task: { id } }) => id);
}

export function placeOf(
  state: RunState,
  task: TaskState,
  args: JsonObject,
): { readonly waits: { task: string; for: string }[] } | { readonly overtaker: TaskState } {
  const { earlier, later } = around(state, task, args);
  const overtaker = later.find(hasTouched);
  if (overtaker !== undefined) return { overtaker };
  const pairs = [
    ...later.map((other) => [other, task] as const),
    ...earlier.filter((other) => !hasEnded(other)).map((other) => [task, other] as const),
  ];
  const needed = pairs.filter(([one, other]) => canWait(one, other));
  return { waits: needed.map(([one, other]) => ({ task: one.task.id, for: other.task.id })) };
}

function around(
  { accesses, tasks }: RunState,
  { task: { id } }: TaskState,
  args: JsonObject,
): { earlier: TaskState[]; later: TaskState[] } {
  const earlier = new Set<TaskState>();
  const later = new Set<TaskState>();
  const own = accesses.filter((access) => access.id === id).map((access) => filledIn(access, args));
  let found = earlier;
  for (const access of own.length === 0 ? [] : accesses) {
    if (access.id === id) found = later;
    const other = access.id === id ? undefined : tasks.get(access.id);
    if (other === undefined) continue;
    const theirs = filledIn(access, other.override ?? other.task.args);
    if (own.some((one) => disturb(one, theirs))) found.add(other);
  }
  return { earlier: [...earlier], later: [...later] };
}

function hasTouched({ mayHaveTouched, status }: TaskState): boolean {
  return mayHaveTouched || status === 'running';
}

function canWait(task: TaskState, { task: { id } }: TaskState): boolean {
  return !hasEnded(task) && !task.waits.includes(id) && !task.needs.includes(id);
}

function disturb(a: Access, b: Access): boolean {
  if (a.server !== b.server || (a.effect === 'read' && b.effect === 'read')) return false;
  const isSame = a.resource === b.resource;
  if (!isSame && a.resource !== undefined && b.resource !== undefined) return false;
  const areIndependent = a.independent !== undefined && a.independent === b.independent;
  return !(isSame && areIndependent && a.effect !== 'read' && b.effect !== 'read');
}

function filledIn(access: Access, args: JsonObject): Access {
  if (access.resource?.includes('{') !== true) return access;
  let isKnown = true;
  const resource = replacePlaceholders(access.resource, (name) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || refsIn(value).length > 0) isKnown = false;
    return typeof value === 'string' ? asPart(value) : stringifyJson(value ?? null);
  });
  const { resource: _, ...whole } = access;
  return isKnown ? { ...whole, resource } : whole;
}

function asPart(text: string): string {
  if (!/[\\/]/.test(text)) return text;
  const parts: string[] = [];
  for (const part of text.split(/[\\/]+/)) {
    const isUp = part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '';
    if (isUp) parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join('/');
}

/** What a new attempt forgets of the calls of its service, and what is unknown again. */
export function staleCalls({ innerCalls }: Pick<TaskState, 'innerCalls'>): {
  readonly forgets: string[];
  readonly reopens: string[];
} {
  const forgets: string[] = [];
  const reopens: string[] = [];
  const frontier = innerCalls === undefined ? 0 : frontierOf(innerCalls);
  for (const call of innerCalls?.values() ?? []) {
    if (isOpen(call, frontier)) {
      if (call.outcome !== undefined) reopens.push(call.key);
    } else if (call.endedSeq > frontier && !mayHaveHappened(call)) forgets.push(call.key);
  }
  return { forgets, reopens };
}

/** The calls of the service that a person must check. */
export function innerCallsInDoubt({ innerCalls }: Pick<TaskState, 'innerCalls'>): InnerCall[] {
  if (innerCalls === undefined) return [];
  const frontier = frontierOf(innerCalls);
  return [...innerCalls.values()].filter(
    (call) => isOpen(call, frontier) && !isRepeatable(call.effect) && !call.isEntered,
  );
}

/** Whether a person must check another call of the service after this one. */
export function isInDoubtAfter(
  { innerCalls = new Map() }: TaskState,
  { key, took }: NonNullable<FactOf<'answer_applied'>['data']['inner']>,
  seq: number,
): boolean {
  const after = new Map([...innerCalls].map(([name, call]) => [name, { ...call }]));
  const call = after.get(key);
  if (took === 'no_effect') after.delete(key);
  else if (call !== undefined) {
    call.outcome = { kind: 'succeeded', result: { value: null } };
    call.endedSeq = seq;
  }
  return innerCallsInDoubt({ innerCalls: after }).length > 0;
}

function frontierOf(calls: ReadonlyMap<string, InnerCall>): number {
  let frontier = 0;
  for (const call of calls.values())
    if (mayHaveHappened(call)) frontier = Math.max(frontier, call.startedSeq);
  return frontier;
}

function mayHaveHappened({ effect, outcome }: InnerCall): boolean {
  if (effect === 'read' || outcome?.kind === 'ambiguous') return false;
  if (outcome?.kind !== 'failed') return true;
  const { kind } = outcome.failure;
  return !isRepeatable(effect) && !['unavailable', 'invalid_args', 'plan_error', 'cancelled'].includes(kind);
}

function isOpen({ effect, outcome, endedSeq }: InnerCall, frontier: number): boolean {
  if (effect === 'read') return false;
  return outcome === undefined || (outcome.kind === 'lost' && endedSeq > frontier);
}
