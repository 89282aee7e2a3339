/** One line of what the bench prints. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly aim?: string;
  readonly note?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
