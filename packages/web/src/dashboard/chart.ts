/** A picture of figures over time, before anybody draws it. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** For the whole range. */
  readonly figure: string;
  /** What is counted, in a sentence. */
  readonly about: string;
  readonly kind: 'bars' | 'line';
  /** Bars stand on each other in this order. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** The lines of the scale, where there are natural ones. */
  readonly ticks?: readonly number[];
}

export interface Series {
  readonly name: string;
  readonly ink: Ink;
  /** One a column; null where there is nothing to tell. */
  readonly values: readonly (number | null)[];
}

export type Ink = 'accent' | 'good' | 'bad' | 'warn' | 'busy' | 'faint';

/** Round numbers from 0 to at least `top`, few enough to be read. */
export function ticksOf(top: number): number[] {
  if (!(top > 0)) return [0, 1];
  const rough = top / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.ceil(top / step - 1e-9);
  // Multiplied, and rounded to what a step has, as 3 × 0.1 is not 0.3.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The largest value that is drawn. */
export function topOf({ kind, series }: Pick<Chart, 'kind' | 'series'>): number {
  const count = series[0]?.values.length ?? 0;
  let largest = 0;
  for (let column = 0; column < count; column++) {
    const values = series.map(({ values: all }) => all[column] ?? 0);
    const height = kind === 'bars' ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
    largest = Math.max(largest, height);
  }
  return largest;
}
