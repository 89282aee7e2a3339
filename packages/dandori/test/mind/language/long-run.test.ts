import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import type { FunctionTool } from '../../../src/testing/function-toolbox.ts';
import { sample } from '../../long.ts';
import { closeRuns, forgetRequests, promptOf, run, type WholeRun } from './whole-run.ts';

afterEach(closeRuns);

const find = (turn: number) => [
  { id: `t${turn + 1}`, operation: 'places.find', args: { q: `place ${turn}` } },
];
const place = (length: number): FunctionTool => ({
  description: 'Finds a place by its name and tells where it is.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  run: ({ q }) => ({ name: q ?? null, about: `${q} is a place. `.repeat(length) }),
});

function samePrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Twenty steps, each of which is decided when its time comes. */
const STEPS = Array.from({ length: 20 }, (_, index) => ({
  id: `s${index + 1}`,
  description: `place ${index + 1}`,
  ...(index > 0 && { after: [`s${index}`] }),
}));

function stepByStep(turn: number): ReturnType<WholeRun['act']> {
  const propose = { id: 't1', operation: 'plan.propose', args: { steps: STEPS } };
  return turn === 0 ? [propose] : find(turn).map((action) => ({ ...action, step: `s${turn}` }));
}

describe('a run of twenty steps', () => {
  const every = [
    ['json', 'adaptive'],
    ['json', 'auto'],
    ['json', 'hierarchical'],
    ['tools', 'adaptive'],
    ['tools', 'auto'],
    ['tools', 'hierarchical'],
  ] as const;
  it.each(sample(every, 3))(
    'sends again what it sent before, so that the provider finds nearly all of it in its cache (%s, %s)',
    async (dialect, mode) => {
      const prompts: string[] = [];
      const others = Array.from({ length: 11 }, (_, index) => [`other.tool_${index}`, place(1)] as const);
      const hasSteps = mode === 'hierarchical';
      await run({
        turns: hasSteps ? 21 : 20,
        dialect,
        mode,
        tools: { 'places.find': place(10), ...Object.fromEntries(others) },
        act: hasSteps ? stepByStep : find,
        seen: (request) => prompts.push(promptOf(request)),
      });
      expect(prompts).toHaveLength(hasSteps ? 22 : 21);
      const later = prompts.slice(1);
      const same = later.map((prompt, index) => samePrefix(prompt, prompts[index] ?? ''));
      // Not a word of an earlier prompt is changed.
      expect(same).toEqual(prompts.slice(0, -1).map(({ length }) => length));
      const share = sum(same) / sum(later.map(({ length }) => length));
      expect(share).toBeGreaterThanOrEqual(0.94);
    },
  );
});

describe('a run of two hundred steps', () => {
  it('has prompts that stay bounded and mostly the same, steps that do not slow down, and loses nothing', async () => {
    const lengths: number[] = [];
    const same: number[] = [];
    const cpu: number[] = [];
    const heap: number[] = [];
    let before = '';
    let last = process.cpuUsage();
    const { state } = await run({
      turns: 200,
      tools: { 'places.find': place(40), 'places.big': { run: () => 'x'.repeat(60_000) } },
      context: { tokens: 8_000 },
      // At the end it asks for what was compacted long ago, by the ids that the prompt still names.
      act: (turn, { promptText }) => {
        if (turn === 3) return [{ id: 't4', operation: 'places.big', args: {} }];
        if (turn < 198) return find(turn);
        expect(promptText).toMatch(/places\.find: t1–t3, t5–t\d+/);
        expect(promptText).toMatch(/places\.big: t4 /);
        const task: JsonObject = turn === 198 ? { task: 't2', path: 'name' } : { task: 't4', from: 59_990 };
        return [{ id: `t${turn + 1}`, operation: 'result.read', args: task }];
      },
      seen: (request, turn) => {
        const prompt = promptOf(request);
        lengths.push(prompt.length);
        same.push(samePrefix(prompt, before));
        before = prompt;
        forgetRequests();
        const now = process.cpuUsage(last);
        cpu.push(now.user + now.system);
        if (turn % 20 === 0) heap.push(heapUsed());
        last = process.cpuUsage();
      },
    });
    expect(state.tasks.get('t199')?.result).toEqual({ value: { value: 'place 1', total: 7 } });
    expect(state.tasks.get('t200')?.result).toMatchObject({
      value: { value: 'x'.repeat(10), total: 60_000 },
    });
    const firstMove = same.findIndex((length, index) => index > 0 && length < (lengths[index - 1] ?? 0));
    expect(firstMove).toBeGreaterThan(5);
    expect(firstMove).toBeLessThan(60);
    // Bounded: never much longer than it was when the first turns were compacted.
    const highest = Math.max(...lengths.slice(0, firstMove));
    expect(Math.max(...lengths.slice(firstMove))).toBeLessThan(highest * 1.3);
    // Between two moves nothing changes, and moves are rare.
    const moves = same.filter((length, index) => index > 0 && length < (lengths[index - 1] ?? 0)).length;
    expect(moves).toBeLessThan(200 / 6);
    expect(sum(same.slice(1)) / sum(lengths.slice(1))).toBeGreaterThan(0.8);
    // The fastest steps of each part, as a busy machine makes some of them slow.
    const fastest = (from: number, to: number) => Math.min(...cpu.slice(from, to));
    expect(fastest(150, 198) / fastest(50, 98)).toBeLessThan(2);
    const [early = 0, late = 0] = [heap[4], heap.at(-1)];
    expect(late - early).toBeLessThan(12_000_000);
  });

  it('by native calls is compacted alike, and its calls keep the ids that results are read by', async () => {
    const lengths: number[] = [];
    const { state } = await run({
      turns: 60,
      dialect: 'tools',
      tools: { 'places.find': place(40) },
      context: { tokens: 8_000 },
      act: (turn, { promptText }) => {
        if (turn < 59) return find(turn);
        expect(promptText).toContain('turns of this conversation are left out here');
        return [{ id: 't60', operation: 'result.read', args: { task: 't2', path: 'name' } }];
      },
      seen: (request) => lengths.push(promptOf(request).length),
    });
    expect(state.tasks.get('t60')?.result).toEqual({ value: { value: 'place 1', total: 7 } });
    expect([...state.tasks.keys()]).toEqual(Array.from({ length: 60 }, (_, index) => `t${index + 1}`));
    expect(Math.max(...lengths)).toBeLessThan(40_000);
  });

  it('of which one turn is larger than the whole budget goes on with a digest of it', async () => {
    const lengths: number[] = [];
    await run({
      turns: 12,
      tools: { 'places.find': { run: () => ({ rows: Array.from({ length: 3_000 }, (_, id) => ({ id })) }) } },
      context: { tokens: 2_000 },
      act: find,
      seen: (request) => lengths.push(promptOf(request).length),
    });
    expect(Math.max(...lengths)).toBeLessThan(40_000);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
