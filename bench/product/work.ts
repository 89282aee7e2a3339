const PAYLOAD = Array.from({ length: 1 << 16 }, (_, index) =>
  ((index * 2_654_435_761) >>> 8).toString(36),
).join('');
let place = 0;
let calls = 0;

/** The tool of every contender: takes `ms` and returns `size` characters, others each time. */
export async function work({ ms, size }: { ms: number; size: number }): Promise<string> {
  calls++;
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  place = (place + 7919) % (PAYLOAD.length - size);
  return PAYLOAD.slice(place, place + size);
}

/** For calls that other processes have made. */
export function countCalls(made: number): void {
  calls += made;
}

/** Throws unless the tool was called so often. A contender that stops early would look fast. */
export async function expectCalls(expected: number, doing: () => Promise<unknown>): Promise<void> {
  const before = calls;
  await doing();
  if (calls - before !== expected) throw new Error(`${calls - before} calls instead of ${expected}`);
}

export const INSTRUCTIONS = 'You are a worker. Call tools until the job is done.';

export const WORK = {
  name: 'work',
  description: 'Perform one unit of work.',
  parameters: { type: 'object', properties: { ms: { type: 'number' }, size: { type: 'number' } } },
};
