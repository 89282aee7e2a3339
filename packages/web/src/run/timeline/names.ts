import { type Language, useLanguage, useTexts } from '../../shell/language.tsx';
import { durationText } from '../duration.ts';
import type { Bar } from './bars.ts';
import { texts } from './texts.ts';

export interface BarTexts {
  readonly say: (typeof texts)[Language];
  readonly language: Language;
}

export function useBarTexts(): BarTexts {
  return { say: useTexts(texts), language: useLanguage().language };
}

/** What it is, in a word or two. */
export function titleOf({ kind, task, which }: Bar, say: BarTexts['say']): string {
  if (kind === 'decision') return say.decision(which);
  return task ?? say.question(which);
}

/** All that is seen of a bar, in words. */
export function nameOf(
  bar: Bar,
  { say, language, now, isCritical }: BarTexts & { readonly now: number; readonly isCritical: boolean },
): string {
  const { kind, which, start, end, how } = bar;
  const tries = kind === 'attempt' && Number(which) > 1 ? [say.attempt(which)] : [];
  const what = kind === 'probe' || (kind === 'wait' && bar.task !== undefined) ? [say.kinds[kind]] : [];
  const took = durationText(Math.max(0, (end ?? now) - start), language);
  const marks = isCritical ? [say.critical] : [];
  return [titleOf(bar, say), ...what, ...tries, say.hows[how], took, ...marks].join(', ');
}
