import { laneOf } from '#dandori/model/tool.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import type { Bar, Bars } from './bars.ts';

type Settings = Pick<RunState['settings'], 'concurrency' | 'servers'>;

export interface Slots {
  /** The time before a bar in which nothing but a free slot was missing; undefined where there was none. */
  before(bar: Bar, released: Bar | undefined): Bar | undefined;
}

/** Whether a task that could begin had to wait because as many calls as may were under way, of all or of its server. */
export function createSlots(
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
