import { duration } from '#dandori/views/report.ts';
import type { Bar } from './bars.ts';
import type { texts } from './texts.ts';

type TimelineTexts = (typeof texts)['en'];

/** What it is, in a word or two. */
export function titleOf({ kind, task, which }: Bar, say: TimelineTexts): string {
  if (kind === 'decision') return say.decision(which);
  return task ?? say.question(which);
}

/** All that is seen of a bar, in words. */
export function nameOf(
  bar: Bar,
  {
    say,
    now,
    isCritical,
  }: { readonly say: TimelineTexts; readonly now: number; readonly isCritical: boolean },
): string {
  const { kind, which, start, end, how } = bar;
  const tries = kind === 'attempt' && Number(which) > 1 ? [say.attempt(which)] : [];
  const isNamed = kind === 'probe' || kind === 'slot' || (kind === 'wait' && bar.task !== undefined);
  const what = isNamed ? [say.kinds[kind]] : [];
  const took = duration(Math.max(0, (end ?? now) - start));
  const marks = isCritical ? [say.critical] : [];
  return [
    titleOf(bar, say),
    ...what,
    ...tries,
    ...(kind === 'slot' ? [] : [say.hows[how]]),
    took,
    ...marks,
  ].join(', ');
}
