import { isDeepStrictEqual } from 'node:util';
import { type Simulated, simulate } from './simulation.ts';

/** Each so many seeds one is lived through twice: what does not come out the same could not be replayed. */
const TWICE_EACH = 50;

export async function* simulateAll(from: number, count: number): AsyncGenerator<Simulated> {
  for (let seed = from; seed < from + count; seed++) {
    const simulated = await simulate(seed);
    yield seed % TWICE_EACH === 0 ? await compare(simulated) : simulated;
  }
}

/** The same seed once more, to the byte. */
export async function compare(first: Simulated): Promise<Simulated> {
  const second = await simulate(first.seed);
  if (isDeepStrictEqual(first, second)) return first;
  const at = first.lines.findIndex((line, index) => line !== second.lines[index]);
  return {
    ...first,
    violations: [
      ...first.violations,
      `differs: at event ${at + 1} it is ${second.lines[at]} the second time`,
    ],
  };
}
