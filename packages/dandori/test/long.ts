/**
 * Whether the tests are run in full (`npm run test:long`): every recorded case instead of a sample, more seeds, kills and
 * requests, and a process of its own for each command. A sample has at least one case of each kind.
 */
export const IS_LONG = process.env.DANDORI_TEST_LONG === '1';

/** How many drawn cases are tried. */
export function rounds(count: number): number {
  return IS_LONG ? count : Math.ceil(count / 10);
}

/** Every one in the long tests, otherwise the first of each kind and, of the others, each `step`-th. */
export function sample<T>(items: readonly T[], step: number, kindOf: (item: T) => unknown = () => ''): T[] {
  if (IS_LONG) return [...items];
  const seen = new Set<unknown>();
  return items.filter((item, index) => {
    const kind = kindOf(item);
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return isFirst || index % step === 0;
  });
}
