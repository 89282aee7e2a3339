import type { Ink } from './chart.ts';

/** Whole names, as the style sheet is made from what stands in the source. */
export const FILL: Readonly<Record<Ink, string>> = {
  accent: 'fill-accent',
  good: 'fill-good',
  bad: 'fill-bad',
  warn: 'fill-warn',
  busy: 'fill-busy',
  faint: 'fill-faint',
};

export const STROKE: Readonly<Record<Ink, string>> = {
  accent: 'stroke-accent',
  good: 'stroke-good',
  bad: 'stroke-bad',
  warn: 'stroke-warn',
  busy: 'stroke-busy',
  faint: 'stroke-faint',
};

export const SWATCH: Readonly<Record<Ink, string>> = {
  accent: 'bg-accent',
  good: 'bg-good',
  bad: 'bg-bad',
  warn: 'bg-warn',
  busy: 'bg-busy',
  faint: 'bg-faint',
};
