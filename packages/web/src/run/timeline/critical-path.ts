import { laneOf } from '#dandori/model/tool.ts';
import type { RunState, TaskState } from '#dandori/run/state/state.ts';
import type { Bar, Bars } from './bars.ts';

interface CriticalPath {
  readonly ids: ReadonlySet<string>;
  /** The parts of the path that only waited for a free slot. */
  readonly slots: readonly Bar[];
}

type Waiting = Pick<TaskState, 'needs' | 'waits' | 'gates' | 'children'>;

/**
 * What the end of the run waited for: from the bar that ended last, back through what each bar waited for. Only a
 * shorter bar on this path makes the run shorter.
 */
export function criticalPath(
  found: Bars,
  { tasks, settings }: Pick<RunState, 'tasks' | 'settings'>,
): CriticalPath {
  const { bars, origins } = found;
  const byTask = Map.groupBy(bars, ({ task }) => task);
  const ended = bars.filter(({ end }) => end !== undefined).toSorted((a, b) => endOf(a) - endOf(b));
  const slots = createSlots(found, { tasks, settings });
  const waits: Bar[] = [];
  const path = new Set<string>();
  let bar = latest(bars);
  while (bar !== undefined && !path.has(bar.id)) {
    path.add(bar.id);
    const released =
      bar.task === undefined ? lastBefore(bar, ended) : releasing(bar, bar.task, { byTask, origins, tasks });
    const wait = slots.before(bar, released);
    if (wait !== undefined) {
      waits.push(wait);
      path.add(wait.id);
    }
    bar = released;
  }
  return { ids: path, slots: waits };
}

/** The bar that ended last. Of running bars, the one that started first. */
function latest(bars: readonly Bar[]): Bar | undefined {
  const [first, ...others] = bars;
  return others.reduce<Bar | undefined>((best, bar) => (best && !isLater(bar, best) ? best : bar), first);
}

function isLater(bar: Bar, other: Bar): boolean {
  if (endOf(bar) !== endOf(other)) return endOf(bar) > endOf(other);
  return bar.end === undefined ? bar.start < other.start : bar.start >= other.start;
}

function endOf({ end }: Bar): number {
  return end ?? Number.POSITIVE_INFINITY;
}

/** A decision starts when nothing else can be done, so it waited for whatever ended last. */
function lastBefore({ id, start }: Bar, ended: readonly Bar[]): Bar | undefined {
  let [low, high] = [0, ended.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = ended[middle];
    if (other !== undefined && endOf(other) <= start) low = middle + 1;
    else high = middle;
  }
  const before = ended[low - 1];
  return before?.id === id ? ended[low - 2] : before;
}

interface Surroundings {
  readonly byTask: ReadonlyMap<string | undefined, readonly Bar[]>;
  readonly origins: Bars['origins'];
  readonly tasks: ReadonlyMap<string, Waiting>;
}

/** What a bar waited for: an earlier bar of its task, a dependency, or the decision that created the task. */
function releasing(bar: Bar, task: string, { byTask, origins, tasks }: Surroundings): Bar | undefined {
  const own = (byTask.get(task) ?? []).filter(
    ({ id, end }) => id !== bar.id && end !== undefined && end <= bar.start,
  );
  if (own.length > 0) return latest(own);
  const { needs = [], waits = [], gates = [] } = tasks.get(task) ?? {};
  const waited = [...needs, ...waits, ...gates.flatMap(({ members }) => members)];
  const before = waited
    .flatMap((id) => [id, ...inside(id, tasks)])
    .flatMap((id) => latest(byTask.get(id) ?? []) ?? [])
    .filter((one) => endOf(one) <= bar.start);
  const origin = origins.get(task);
  return latest(origin === undefined ? before : [origin, ...before]);
}

/** A step ends with its tasks. */
function inside(id: string, tasks: ReadonlyMap<string, Waiting>, seen = new Set<string>()): string[] {
  const children = (tasks.get(id)?.children ?? []).filter((child) => !seen.has(child));
  for (const child of children) seen.add(child);
  return children.flatMap((child) => [child, ...inside(child, tasks, seen)]);
}

type Settings = Pick<RunState['settings'], 'concurrency' | 'servers'>;

interface Slots {
  /** The time before a bar in which its task waited only for a free slot, if there was any. */
  before(bar: Bar, released: Bar | undefined): Bar | undefined;
}

/** Finds tasks that were ready but had to wait, because the concurrency limit of the run or of their server was reached. */
function createSlots(
  { bars, accepted }: Pick<Bars, 'bars' | 'accepted'>,
  { tasks, settings }: { readonly tasks: RunState['tasks']; readonly settings: Settings },
): Slots {
  const laneOfBar = ({ task }: Bar) =>
    laneOf(tasks.get(task ?? '')?.task.operation ?? '', settings.servers ?? {});
  const attempts = bars.filter(({ kind }) => kind === 'attempt');
  const isFull = (at: number, bar: Bar) => {
    const lane = laneOfBar(bar);
    const others = attempts.filter(({ start, end = at + 1 }) => start <= at && end > at);
    const ofLane = others.filter((other) => laneOfBar(other) === lane).length;
    const limit = settings.servers?.[lane] ?? Number.POSITIVE_INFINITY;
    return others.length >= settings.concurrency || ofLane >= limit;
  };
  return {
    before(bar, released) {
      const from = released?.end ?? accepted.get(bar.task ?? '');
      const isFirst = bar.kind === 'attempt' && released?.task !== bar.task;
      if (from === undefined || !isFirst || bar.start <= from || !isFull(from, bar)) return undefined;
      const { task } = bar;
      return {
        id: `slot ${task}`,
        kind: 'slot',
        task,
        which: 1,
        start: from,
        end: bar.start,
        how: 'succeeded',
      };
    },
  };
}
