/** Figures over time, independent of how they are drawn. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** For the whole range. */
  readonly figure: string;
  /** One sentence that says what is counted. */
  readonly about: string;
  readonly kind: 'bars' | 'line';
  /** Bars are stacked in this order. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Fixed lines of the scale, such as 0, 50 and 100 percent. */
  readonly ticks?: readonly number[];
}

export interface Series {
  readonly name: string;
  readonly ink: Ink;
  /** One per column; null where nothing was counted. */
  readonly values: readonly (number | null)[];
}

export type Ink = 'accent' | 'good' | 'bad' | 'warn' | 'busy' | 'faint';

/** About four round numbers from 0 to at least `top`. */
export function ticksOf(top: number): number[] {
  if (!(top > 0)) return [0, 1];
  const rough = top / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const count = Math.ceil(top / step - 1e-9);
  // 3 × 0.1 is not 0.3, so the product is rounded.
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
