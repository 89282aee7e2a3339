import * as z from 'zod';
import { canonicalJson, type Json, type JsonObject, json, parseJson, stringifyJson } from '../model/json.ts';
import { REDACTED } from '../model/redact.ts';
import { isStep, type Task, task } from '../model/task.ts';
import { escaped, refsIn } from '../plan/fill-refs.ts';
import { query } from '../plan/query.ts';
import { mayHoldRef, parseTemplate, renameIn, writeRef } from '../plan/refs.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { report, runOutcome } from '../views/report.ts';

/** A plan that repeats what a run did. */
const inferred = z.object({
  task: z.string(),
  path: z.array(z.union([z.string(), z.number()])).readonly(),
  ref: z.string().describe('As it is written: `${t1.city}`'),
  value: json,
});
type Inferred = Readonly<z.infer<typeof inferred>>;

export const liftedSchema = z.object({
  run: z.string(),
  goal: z.string(),
  outcome: runOutcome,
  tasks: z.array(task).readonly().describe('Those that succeeded, in written order'),
  inferred: z
    .array(inferred)
    .readonly()
    .describe('Refs that the model did not write: the value equals one in an earlier result'),
  left: z
    .array(z.object({ task: z.string(), operation: z.string(), reason: z.string() }))
    .readonly()
    .describe('Those that did not succeed'),
  redacted: z
    .array(z.string())
    .readonly()
    .describe('Tasks whose arguments held a secret; the journal does not have it, so fill it in by hand'),
  notOrdered: z
    .array(z.string())
    .readonly()
    .describe(
      'Calls with an effect that the model decided after it read external content. The plan orders them.',
    ),
  unread: z
    .array(z.string())
    .readonly()
    .describe('Tasks whose results could not be read, so that no Ref to them was looked for'),
});
export type Lifted = Readonly<z.infer<typeof liftedSchema>>;

/**
 * Makes a plan from the trace of a run.
 *
 * F1  If the tools answer the same, the plan gives the same results. Every call gets the same arguments. A
 *     call that was decided after a write on another server waits for that write.
 * F2  A value becomes a Ref only if it has one possible source. The value is specific, and neither the goal
 *     nor the user's answers contain it. The latest earlier result that contains it does so once, or once
 *     under the same name.
 * F3  Text stays text, even if it looks like a Ref.
 */
export function lift(state: RunState, resultOf: (task: string) => Json | undefined): Lifted {
  const done = [...state.tasks.values()].filter(
    // If the user's choice replaced a task by other tasks, those are lifted on their own.
    ({ task, status, isReplaced }) => status === 'succeeded' && !isStep(task) && !isReplaced,
  );
  const decided = decisionsOf(state);
  const trace: Trace = {
    kept: new Set(done.map(({ task }) => task.id)),
    decisionOf: (id) => decided.get(id) ?? 0,
    tasks: state.tasks,
    given: givenText(state),
    inferred: [],
    origins: [],
    wanted: new Set(),
  };
  const [first] = done;
  const isOneDecision = done.every(
    ({ task }) => first === undefined || trace.decisionOf(task.id) === trace.decisionOf(first.task.id),
  );
  if (!isOneDecision) prepare(done, trace, resultOf);
  const written = done.map((task) => liftTask(task, trace));
  return {
    run: state.run,
    goal: state.goal,
    outcome: report(state).outcome,
    tasks: isOneDecision ? written : inOrder(written, done, trace),
    inferred: trace.inferred,
    left: leftOut(state),
    notOrdered: done
      .filter(({ isOrdered, effect }) => !isOrdered && effect !== 'read')
      .map(({ task }) => task.id),
    redacted: written.filter(({ args }) => stringifyJson(args).includes(REDACTED)).map(({ id }) => id),
    unread: done
      .filter(({ task, result }) => result !== undefined && resultOf(task.id) === undefined)
      .map(({ task }) => task.id),
  };
}

interface Trace {
  readonly kept: ReadonlySet<string>;
  readonly tasks: RunState['tasks'];
  /**
   * The decision that a task comes from; 0 for a plan given by the user. All tasks of a decision were decided
   * at once.
   */
  readonly decisionOf: (task: string) => number;
  /** What the user said. A value in it need not come from a result. */
  readonly given: string;
  readonly inferred: Inferred[];
  /** For each task in written order: where its result contains a wanted value. */
  readonly origins: { task: string; result: Json; places: ReadonlyMap<string, readonly Origin[]> }[];
  /** Keys of all values that may come from a result. */
  readonly wanted: Set<string>;
}

/** A task that a later plan only repeats belongs to the earlier decision. */
function decisionsOf({ decisions, userPlan }: RunState): Map<string, number> {
  const written = new Map(userPlan.map(({ id, args }) => [id, stringifyJson(args)]));
  const found = new Map<string, number>();
  for (const [index, { proposed, diagnostics }] of decisions.entries()) {
    for (const { id, args } of diagnostics === undefined ? proposed : []) {
      const text = stringifyJson(args);
      if (written.get(id) !== text) found.set(id, index + 1);
      written.set(id, text);
    }
  }
  return found;
}

function givenText({ goal, questions }: RunState): string {
  const answers = [...questions.values()].map(({ answer }) => stringifyJson(answer?.value ?? ''));
  return plain([goal, ...answers].join('\n'));
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function prepare(
  done: readonly TaskState[],
  trace: Trace,
  resultOf: (task: string) => Json | undefined,
): void {
  for (const task of done) want(argumentsOf(task), trace);
  for (const { task } of done) {
    const result = resultOf(task.id);
    if (result === undefined) continue;
    trace.origins.push({ task: task.id, result, places: originsIn(result, trace.wanted) });
  }
}

function argumentsOf({ override, task }: TaskState): JsonObject {
  return override ?? task.args;
}

function want(value: Json, trace: Trace): void {
  const literal = literalOf(value);
  if (literal !== undefined && isSpecific(literal, trace.given)) trace.wanted.add(canonicalJson(literal));
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) want(item, trace);
}

/** The value that is sent for a written value. Undefined if it contains a Ref. */
function literalOf(value: Json): Json | undefined {
  if (typeof value === 'string') {
    if (!mayHoldRef(value)) return value;
    const parsed = parseTemplate(value);
    const [only] = parsed.ok ? parsed.template : [];
    return parsed.ok && parsed.template.length === 1 && typeof only === 'string' ? only : undefined;
  }
  if (typeof value !== 'object' || value === null) return value;
  const literals = Object.entries(value).map(([name, item]) => [name, literalOf(item)] as const);
  if (literals.some(([, item]) => item === undefined)) return undefined;
  const whole = literals as [string, Json][];
  return Array.isArray(value) ? whole.map(([, item]) => item) : Object.fromEntries(whole);
}

/**
 * Whether two equal values are likely to have the same source. Short texts and round numbers are equal by
 * chance.
 */
function isSpecific(value: Json, given: string): boolean {
  if (typeof value === 'string') return [...value].length >= 3 && !given.includes(plain(value));
  if (typeof value === 'number') return isSpecificNumber(value) && !given.includes(String(value));
  if (typeof value === 'bigint') return !given.includes(String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((item) => isSpecific(item, given));
}

function isSpecificNumber(value: number): boolean {
  const digits = String(value).replaceAll(/^-?0*\.?0*|\.|e.*$/g, '');
  const isPowerOfTen = /^10*$/.test(digits);
  return Number.isInteger(value) ? Math.abs(value) >= 10 && !isPowerOfTen : digits.length >= 3;
}

function liftTask(state: TaskState, trace: Trace): Task {
  const { after = [], step: _, ...task } = state.task;
  const calls = new Set(after.flatMap((id) => callsOf(id, trace.tasks)));
  const kept = [...calls].filter((id) => trace.kept.has(id));
  // Steps are not lifted: a Ref to a step becomes a Ref to the call that gave its result.
  const written = renameIn(argumentsOf(state), (id) => resultCallOf(id, trace.tasks) ?? id);
  const args = liftValue(written, [], { task: task.id, sent: state.sent, trace }) as JsonObject;
  return { ...task, args, ...(kept.length > 0 && { after: kept }) };
}

interface Lifting {
  readonly task: string;
  /** All arguments, as they were sent. */
  readonly sent: JsonObject | undefined;
  readonly trace: Trace;
}

function liftValue(value: Json, path: readonly (string | number)[], lifting: Lifting): Json {
  const ref = inferredRef(value, path, lifting);
  if (ref !== undefined) return ref;
  if (typeof value === 'string') return liftText(value, path, lifting);
  if (Array.isArray(value)) return value.map((item, index) => liftValue(item, [...path, index], lifting));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, liftValue(item, [...path, name], lifting)]),
  );
}

/** A written Ref stays, unless its task is left out. Then the sent value replaces it. */
function liftText(text: string, path: readonly (string | number)[], { sent, trace }: Lifting): Json {
  if (refsIn(text).every(({ ref }) => trace.kept.has(ref.task))) return text;
  const value = path.reduce<Json | undefined>(
    (here, step) => (here as { [step: string | number]: Json } | undefined)?.[step],
    sent,
  );
  return value === undefined ? text : escaped(value);
}

function inferredRef(
  value: Json,
  path: readonly (string | number)[],
  { task, trace }: Lifting,
): string | undefined {
  // The arguments as a whole must be a literal object in the plan.
  if (path.length === 0 || trace.origins.length === 0) return undefined;
  const literal = literalOf(value);
  if (literal === undefined) return undefined;
  const key = canonicalJson(literal);
  if (!trace.wanted.has(key)) return undefined;
  const decision = trace.decisionOf(task);
  const source = trace.origins.findLast(
    (earlier) => trace.decisionOf(earlier.task) < decision && earlier.places.has(key),
  );
  const place = onlyOrigin(source?.places.get(key) ?? [], path.at(-1));
  if (source === undefined || place === undefined) return undefined;
  const ref = { task: source.task, path: pathExpression(place) };
  if (!leadsTo(literal, source.result, ref.path)) return undefined;
  const written = writeRef(ref);
  trace.inferred.push({ task, path, ref: written, value: literal });
  return written;
}

/**
 * JMESPath reads keys with quotes and control characters. If it does not find the value, there is no Ref.
 */
function leadsTo(value: Json, result: Json, path: string): boolean {
  try {
    const found = path === '' ? result : query(result, path);
    return found !== undefined && canonicalJson(found) === canonicalJson(value);
  } catch {
    return false;
  }
}

/**
 * The mind saw the results of an earlier decision before it continued. Within a server the compiler keeps the
 * written order. Between two servers only an `after` says that the second call came after the first.
 */
function inOrder(tasks: readonly Task[], done: readonly TaskState[], { decisionOf }: Trace): Task[] {
  const before = new Map<string, Set<string>>();
  return tasks.map((task, index) => {
    const self = done[index];
    const needs = new Set([...(task.after ?? []), ...refsIn(task.args).map(({ ref }) => ref.task)]);
    const ancestors = new Set<string>();
    const add = (id: string) => {
      ancestors.add(id);
      for (const earlier of before.get(id) ?? []) ancestors.add(earlier);
    };
    needs.forEach(add);
    const after = [...(task.after ?? [])];
    // Latest first: its own dependencies need not be repeated.
    for (const earlier of done.slice(0, index).reverse()) {
      const { id } = earlier.task;
      const mayMatter = earlier.effect !== 'read' || self?.effect !== 'read';
      const isSeen = decisionOf(id) < decisionOf(task.id) && earlier.lane !== self?.lane;
      if (!mayMatter || !isSeen || ancestors.has(id)) continue;
      after.push(id);
      add(id);
    }
    before.set(task.id, ancestors);
    return after.length > 0 ? { ...task, after } : task;
  });
}

function leftOut(state: RunState): Lifted['left'] {
  return Object.entries(report(state).tasks)
    .filter(([, { status }]) => status !== 'succeeded')
    .map(([task, { operation, status, failure }]) => ({
      task,
      operation,
      reason: failure === undefined ? status : `${status}: ${failure.message}`,
    }));
}

/** A position in a result: keys and indexes. */
type Origin = readonly (string | number)[];

/** A value found at this many positions has no recognizable source. */
const MOST = 20;

/** The positions of all wanted values in a result, found in one pass. */
function originsIn(result: Json, wanted: ReadonlySet<string>): ReadonlyMap<string, readonly Origin[]> {
  const found = new Map<string, Origin[]>();
  // Serializing every nested list and object would be quadratic in the depth.
  const sizes = new Set([...wanted].map((key) => sizeOf(parseJson(key) as Json)));
  const visit = (value: Json, path: readonly (string | number)[]) => {
    if (sizes.has(sizeOf(value))) {
      const key = canonicalJson(value);
      const places = found.get(key);
      if (places === undefined && wanted.has(key)) found.set(key, [path]);
      else if (places !== undefined && places.length < MOST) places.push(path);
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) value.forEach((item, index) => void visit(item, [...path, index]));
    else for (const [name, item] of Object.entries(value)) visit(item, [...path, name]);
  };
  visit(result, []);
  return found;
}

/** The only possible position: the single one, or the only one under the same name. */
function onlyOrigin(places: readonly Origin[], name: string | number | undefined): Origin | undefined {
  if (places.length === MOST) return undefined;
  const named = places.length === 1 ? places : places.filter((place) => place.at(-1) === name);
  return named.length === 1 ? named[0] : undefined;
}

/** A path as JMESPath, for a Ref. */
export function pathExpression(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[A-Za-z_]\w*$/.test(step) ? step : stringifyJson(step);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function sizeOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return 'one';
  return Array.isArray(value) ? `list ${value.length}` : `object ${Object.keys(value).length}`;
}

/** The calls of a step in written order, including nested steps. For a call, the list contains just that call. */
function callsOf(id: string, tasks: RunState['tasks']): string[] {
  const task = tasks.get(id);
  if (task === undefined || task.isSuperseded) return [];
  return isStep(task.task) ? task.children.flatMap((child) => callsOf(child, tasks)) : [id];
}

/** The call whose result is the result of the step. */
function resultCallOf(id: string, tasks: RunState['tasks']): string | undefined {
  const task = tasks.get(id);
  if (task === undefined || !isStep(task.task)) return task?.task.id;
  const last = task.children.findLast((child) => tasks.get(child)?.isSuperseded === false);
  return last === undefined ? undefined : resultCallOf(last, tasks);
}
