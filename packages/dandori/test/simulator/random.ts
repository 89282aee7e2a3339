/** Random numbers that are the same for the same seed. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** An integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number;
  /** An integer, both ends inclusive. */
  between(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** An independent source. Drawing from one does not affect the other. */
  fork(name: string): Random;
}

/** Mulberry32: small, fast, and good enough for a simulation. */
export function createRandom(seed: number, name = ''): Random {
  let state = scatter(seed, name);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
    fork: (branch) => createRandom(seed, `${name}/${branch}`),
  };
}

/** FNV-1a, so that adjacent seeds start far apart. */
function scatter(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${seed}:${name}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash;
}
