import type { Event, FactOf, FactType } from '../../model/event.ts';
import { isObject } from '../../model/json.ts';

/**
 * The events of a line as `{"task_started": {"task": "t1"}}`, without what follows from the line itself.
 *
 * S1  `at` is left out if the event before has the same one.
 * S2  A field is left out if it has its usual value. Every event of that type has the field, so it is never missing
 *     for another reason.
 * S3  The key of a call is left out if it is `RUN/TASK`, and the version of an approved plan if the event before
 *     proposes it.
 * S4  The usual values are part of the format: they never change, because old lines are read with them.
 * S5  An event that cannot be shortened stands in full beside the short ones. Its `at` is left out if the first event of
 *     the line has the same one, as in lines that have all events in full.
 */
const USUAL: { readonly [Type in FactType]?: Always<FactOf<Type>['data']> } = {
  decision_started: { purpose: 'act' },
  plan_proposed: { by: 'mind' },
  plan_revised: { by: 'mind' },
  task_started: { attempt: 1 },
  task_succeeded: { attempt: 1, ms: 0 },
  task_failed: { attempt: 1, ms: 0 },
  task_in_doubt: { attempt: 1 },
  inner_call_started: { attempt: 1 },
  inner_call_ended: { attempt: 1, ms: 0 },
  probe_started: { attempt: 1 },
  probe_ended: { attempt: 1, ms: 0 },
};

/** The usual rank of a task in `plan_approved`: the tool has never been called, and nothing waits for the task. */
const USUAL_RANK = 1000;

/** Some of the fields that are never missing. */
type Always<Data> = {
  readonly [Name in keyof Data as undefined extends Data[Name] ? never : Name]?: Data[Name];
};
type Fields = Record<string, unknown>;
type Checked = FactOf<'plan_approved'>['data']['tasks'][number];

/**
 * `before` is the previous event of the line. Undefined if the event cannot be shortened. A field that is left out is
 * undefined in the result, so JSON does not have it. A copy without the field would take more time, for each event.
 */
export function shorten(event: Event, before: Event | undefined): object | undefined {
  const { type, at } = event;
  const data = shortData(event, before);
  if (data === undefined) return undefined;
  return before === undefined || before.at === at ? { [type]: data } : { at, [type]: data };
}

function shortData(event: Event, before: Event | undefined): object | undefined {
  const { type, data, run } = event;
  const usual: Fields | undefined = USUAL[type];
  if (type === 'plan_approved') {
    // Only the compiler sets ranks, so a plan without them would get some when it is read.
    if (data.tasks.some(({ rank }) => rank === undefined)) return undefined;
    const version = data.version === proposedVersion(before) ? undefined : data.version;
    return { ...data, version, tasks: data.tasks.map(withoutRank) };
  }
  if (usual === undefined) return data;
  const short: Fields = { ...data };
  for (const name in usual) if (short[name] === usual[name]) short[name] = undefined;
  if (type === 'task_started' && data.key === keyOf(run, data)) short.key = undefined;
  return short;
}

/** The event that was shortened, still unchecked. Undefined if it is not one that `shorten` writes. */
export function restore(
  member: unknown,
  { before, ...envelope }: Pick<Event, 'v' | 'run' | 'seq' | 'at'> & { readonly before: Event | undefined },
): Event | undefined {
  if (!isObject(member)) return undefined;
  const { at = before?.at ?? envelope.at } = member;
  const [type = '', ...others] = Object.keys(member).filter((name) => name !== 'at');
  const short = member[type];
  if (!isObject(short) || others.length > 0) return undefined;
  const data = filled(short, USUAL[type as FactType]);
  if (type === 'task_started') data.key ??= keyOf(envelope.run, data);
  if (type === 'plan_approved') {
    data.version ??= proposedVersion(before);
    if (Array.isArray(data.tasks)) data.tasks = data.tasks.map((task) => filled(task, { rank: USUAL_RANK }));
  }
  return { ...envelope, at, type, data } as object as Event;
}

/** The key that a call gets, unless its run is a fork. */
function keyOf(run: string, { task }: Fields | FactOf<'task_started'>['data']): string {
  return `${run}/${task}`;
}

function proposedVersion(before: Event | undefined): number | undefined {
  return before?.type === 'plan_proposed' || before?.type === 'plan_revised'
    ? before.data.version
    : undefined;
}

function withoutRank(task: Checked): object {
  return task.rank === USUAL_RANK ? { ...task, rank: undefined } : task;
}

/** A copy with the fields that are missing. The others keep their order, so that a copy has the same bytes. */
function filled(fields: object, values: Fields = {}): Fields {
  const all: Fields = { ...fields };
  for (const name in values) if (!(name in all)) all[name] = values[name];
  return all;
}
