import type { Bar } from './bars.ts';

/** Maps times to places on the axis, in milliseconds from its start. Long idle periods are folded. */
export interface Scale {
  readonly start: number;
  readonly length: number;
  placeOf(time: number): number;
  timeAt(place: number): number;
  readonly folds: readonly Fold[];
}

interface Fold {
  /** Its start and end on the axis. */
  readonly from: number;
  readonly to: number;
  /** Its real duration. */
  readonly ms: number;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A pause is folded if it is at least this share of all work, and at least this long. */
const PART = 0.2;
const LEAST = 2_000;
/** The length of a fold, as a share of all work. */
const LEFT = 0.03;

export function createScale(bars: readonly Bar[], { start, end }: Range, isFolding: boolean): Scale {
  const length = Math.max(1, end - start);
  const work = isFolding ? workOf(bars, { start, end }) : [];
  const total = work.reduce((sum, one) => sum + one.end - one.start, 0);
  const pauses = pausesIn(work, { start, end }).filter(
    (one) => one.end - one.start > Math.max(LEAST, PART * total),
  );
  const left = Math.max(1, LEFT * total);
  const folds: (Fold & Range)[] = [];
  let saved = 0;
  for (const pause of pauses) {
    const from = pause.start - start - saved;
    folds.push({ ...pause, from, to: from + left, ms: pause.end - pause.start });
    saved += pause.end - pause.start - left;
  }
  return {
    start,
    length: length - saved,
    folds,
    placeOf(time) {
      const fold = folds.findLast((one) => time > one.start);
      if (fold === undefined) return time - start;
      if (time >= fold.end) return fold.to + (time - fold.end);
      return fold.from + ((time - fold.start) / fold.ms) * left;
    },
    timeAt(place) {
      const fold = folds.findLast((one) => place > one.from);
      if (fold === undefined) return start + place;
      if (place >= fold.to) return fold.end + (place - fold.to);
      return fold.start + ((place - fold.from) / left) * fold.ms;
    },
  };
}

/** The periods of work. Waiting for an answer is not work. */
function workOf(bars: readonly Bar[], { end: last }: Range): Range[] {
  const work: Range[] = [];
  for (const { kind, start, end = last } of bars) {
    if (kind === 'wait') continue;
    const before = work.at(-1);
    if (before === undefined || start > before.end) work.push({ start, end });
    else work[work.length - 1] = { start: before.start, end: Math.max(before.end, end) };
  }
  return work;
}

function pausesIn(work: readonly Range[], { end }: Range): Range[] {
  return work.flatMap((one, index) => {
    const next = work[index + 1]?.start ?? end;
    return next > one.end ? [{ start: one.end, end: next }] : [];
  });
}

export interface Tick {
  readonly place: number;
  /** Milliseconds since the start of the run. */
  readonly ms: number;
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000,
].concat([2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440, 10_080].map((minutes) => minutes * 60_000));

/** Round times between two places, at least `gap` milliseconds of the axis apart. */
export function ticksOf(scale: Scale, { from, to, gap }: { from: number; to: number; gap: number }): Tick[] {
  const step = STEPS.find((one) => one >= gap) ?? gap;
  const ticks: Tick[] = [];
  for (let ms = Math.floor((scale.timeAt(from) - scale.start) / step) * step; ; ms += step) {
    const place = scale.placeOf(scale.start + ms);
    if (place > to) return ticks;
    const fold = scale.folds.find((one) => place > one.from && place < one.to);
    if (fold === undefined) ticks.push({ place, ms });
    // After a fold, the ticks continue with the next round time.
    else ms = Math.floor((scale.timeAt(fold.to) - scale.start) / step) * step;
  }
}
