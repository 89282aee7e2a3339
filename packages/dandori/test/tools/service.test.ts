import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ambiguous, defineService } from '../../src/tools/service.ts';
import { ServiceCallError } from '../../src/tools/service-call.ts';
import { openToolbox, script, succeeded, toCall } from './fixtures/calls.ts';
import { defineTool } from './fixtures/define-tool.ts';

const stock = new Map([['bolt', 5]]);
const inventory = defineService({
  name: 'inventory',
  description: 'What is on the shelves',
  methods: {
    count: {
      description: 'How many there are',
      input: z.object({ item: z.string(), unit: z.enum(['piece', 'box']).default('piece') }),
      output: z.object({ item: z.string(), count: z.number(), unit: z.string() }),
      effect: 'read',
      run: ({ item, unit }) => ({ item, count: stock.get(item) ?? 0, unit }),
    },
    remove: {
      description: 'Takes some off the shelf',
      input: z.object({ item: z.string(), count: z.number().int().positive() }),
      effect: 'write',
      calls: ['inventory.count'],
      async run({ item, count }, { call, key, userId, progress }) {
        progress(`removing ${count}`, 0.5);
        const there = await call('inventory.count', { item });
        if (!stock.has(item)) {
          throw ambiguous({
            question: `Which ${item}?`,
            options: [{ label: 'bolt', args: { item: 'bolt' } }],
          });
        }
        return { there, count, key, userId };
      },
    },
    lie: {
      description: 'Returns what it did not promise',
      input: z.object({}),
      output: z.object({ n: z.number() }),
      effect: 'read',
      run: () => ({ n: 'one' }) as unknown as { n: number },
    },
    fail: {
      description: 'Throws',
      input: z.object({}),
      effect: 'write',
      run: () => {
        throw new Error('the shelf broke');
      },
    },
    forward: {
      description: 'Calls another tool',
      input: z.object({ tool: z.string(), caught: z.boolean().default(false) }),
      effect: 'write',
      calls: ['inventory.fail', 'inventory.deaf', 'no.such'],
      async run({ tool, caught }, { call }) {
        try {
          return await call(tool, {});
        } catch (error) {
          if (caught && error instanceof ServiceCallError) return { caught: error.failure.kind };
          throw error;
        }
      },
    },
    buy: {
      description: 'Orders some, then takes some off the shelf',
      input: z.object({ item: z.string(), first: z.enum(['order', 'reserve']) }),
      effect: 'write',
      calls: ['inventory.order', 'inventory.reserve', 'inventory.remove'],
      async run({ item, first }, { call }) {
        await call(`inventory.${first}`, { item });
        return call('inventory.remove', { item, count: 1 });
      },
    },
    order: {
      description: 'Orders some',
      input: z.object({ item: z.string() }),
      effect: 'write',
      run: () => 'ordered',
    },
    reserve: {
      description: 'Keeps some back, once for each key',
      input: z.object({ item: z.string() }),
      effect: 'idempotent',
      run: () => 'reserved',
    },
    loop: {
      description: 'Calls itself',
      input: z.object({}),
      effect: 'read',
      calls: ['inventory.loop'],
      run: (_, { call }) => call('inventory.loop', {}),
    },
    deaf: {
      description: 'Ignores its signal',
      input: z.object({}),
      effect: 'write',
      run: () => new Promise<never>(() => {}),
    },
    polite: {
      description: 'Ends when it is told to',
      input: z.object({}),
      effect: 'write',
      run: (_, { signal }) =>
        new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('half'))),
    },
    odd: {
      description: 'Returns what JSON does not have',
      input: z.object({ what: z.enum(['nothing', 'date', 'bigint', 'cycle']) }),
      effect: 'read',
      run({ what }) {
        const cycle: { self?: unknown } = {};
        cycle.self = cycle;
        return { nothing: undefined, date: new Date(0), bigint: 1n, cycle }[what];
      },
    },
    shared: {
      description: 'Returns its own state',
      input: z.object({}),
      effect: 'read',
      run: () => state,
    },
  },
});
const state = { n: 1 };
const greet = defineTool({
  name: 'greet',
  description: 'Greets',
  input: z.object({ name: z.string() }),
  effect: 'read',
  trusted: false,
  run: ({ name }) => `Hello, ${name.toUpperCase()}`,
});

const toolbox = await openToolbox({
  services: [inventory, greet],
  effects: { 'inventory.fail': { effect: 'read' } },
});
const call = (operation: string, args = {}, more = {}) => toolbox.call(toCall(operation, args, more));

describe('a service of your own', () => {
  it('is described to the planner by its zod types', () => {
    expect(toolbox.tools().get('inventory.count')).toEqual({
      name: 'inventory.count',
      server: 'inventory',
      description: 'How many there are',
      inputSchema: expect.objectContaining({ type: 'object', required: ['item'] }),
      outputSchema: expect.objectContaining({ required: ['item', 'count', 'unit'] }),
      effect: 'read',
      trusted: false,
      trustMissing: true,
    });
    expect(toolbox.tools().get('inventory.fail')?.effect).toBe('read');
    expect(toolbox.tools().get('greet')).toMatchObject({ server: 'greet', trusted: false });
    expect(toolbox.tools()).toBe(toolbox.tools());
  });

  it('is called with its defaults filled in', async () => {
    expect(succeeded(await call('inventory.count', { item: 'bolt' }))).toEqual({
      item: 'bolt',
      count: 5,
      unit: 'piece',
    });
    expect(succeeded(await call('greet', { name: 'Ran' }))).toBe('Hello, RAN');
  });

  it('knows for whom and under which key it runs, and can call other tools and tell how far it is', async () => {
    const seen: unknown[] = [];
    const progress = (...args: unknown[]) => seen.push(args);
    const result = succeeded(
      await call('inventory.remove', { item: 'bolt', count: 1 }, { userId: 'u-1', progress }),
    );
    expect(result).toEqual({
      there: { item: 'bolt', count: 5, unit: 'piece' },
      count: 1,
      key: 'run-1/t1',
      userId: 'u-1',
    });
    expect(seen).toEqual([['removing 1', 0.5]]);
  });

  it('asks where a person must choose', async () => {
    expect(await call('inventory.remove', { item: 'blt', count: 1 })).toEqual({
      kind: 'ambiguous',
      question: 'Which blt?',
      options: [{ label: 'bolt', value: 'bolt', args: { item: 'bolt' } }],
    });
  });

  it.each<[string, string, object, object]>([
    [
      'wrong arguments',
      'inventory.count',
      { item: 5 },
      { kind: 'invalid_args', message: expect.stringContaining('item') },
    ],
    ['an exception', 'inventory.fail', {}, { kind: 'tool_error', message: 'the shelf broke' }],
    [
      'a result that it did not promise',
      'inventory.lie',
      {},
      { kind: 'invalid_result', message: expect.stringContaining('n') },
    ],
    ['a cycle', 'inventory.odd', { what: 'cycle' }, { kind: 'invalid_result', message: expect.any(String) }],
    [
      'a call without end',
      'inventory.loop',
      {},
      { kind: 'tool_error', message: expect.stringContaining('deep') },
    ],
    [
      'a tool that is not there',
      'inventory.forward',
      { tool: 'no.such' },
      { kind: 'unavailable', message: expect.stringContaining('no.such') },
    ],
    [
      'a failing tool',
      'inventory.forward',
      { tool: 'inventory.fail' },
      { kind: 'tool_error', message: 'inventory.fail: the shelf broke' },
    ],
    [
      'a tool that it does not name',
      'inventory.forward',
      { tool: 'inventory.count' },
      {
        kind: 'tool_error',
        message:
          'inventory.count: inventory.forward can\'t call it, because it does not declare it. Add "inventory.count" to its calls.',
      },
    ],
    [
      'a method that is not there',
      'inventory.no',
      {},
      { kind: 'unavailable', message: 'there is no tool inventory.no' },
    ],
  ])('%s is a failure and never a crash', async (_name, operation, args, failure) => {
    expect(await call(operation, args)).toEqual({ kind: 'failed', failure });
  });

  it('asks no question after it has done what would be repeated', async () => {
    const asked = { item: 'nut' };
    expect(await call('inventory.buy', { ...asked, first: 'reserve' })).toMatchObject({ kind: 'ambiguous' });
    expect(await call('inventory.buy', { ...asked, first: 'order' })).toEqual({
      kind: 'failed',
      failure: {
        kind: 'tool_error',
        message: expect.stringContaining('after it has called inventory.order. It would call it again'),
      },
    });
  });

  it('can handle the failure of a tool that it called', async () => {
    expect(succeeded(await call('inventory.forward', { tool: 'inventory.fail', caught: true }))).toEqual({
      caught: 'tool_error',
    });
  });

  it('may return nothing, or a date', async () => {
    expect(succeeded(await call('inventory.odd', { what: 'nothing' }))).toBeNull();
    expect(succeeded(await call('inventory.odd', { what: 'date' }))).toBe('1970-01-01T00:00:00.000Z');
  });

  it('cannot change later what a run has seen', async () => {
    const seen = succeeded(await call('inventory.shared'));
    state.n = 2;
    expect(seen).toEqual({ n: 1 });
  });
});

describe('stopping a method', () => {
  it('is given up if the abort comes while its arguments are read', async () => {
    const controller = new AbortController();
    const outcome = call('inventory.deaf', {}, { signal: controller.signal });
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'lost', unstopped: true });
  });

  it('is given up, also after a test of the user had a clock of its own', async () => {
    vi.useFakeTimers({ now: 0 });
    expect(await call('inventory.count', { item: 'bolt' })).toMatchObject({ kind: 'succeeded' });
    vi.useRealTimers();
    const outcome = await call('inventory.deaf', {}, { signal: AbortSignal.timeout(20) });
    expect(outcome).toMatchObject({ kind: 'lost', unstopped: true });
  });

  it('is given up, also if it began under such a clock that holds back process.nextTick', async () => {
    const held = vi.spyOn(process, 'nextTick').mockReturnValue();
    const controller = new AbortController();
    const outcome = call('inventory.deaf', {}, { signal: controller.signal });
    for (let turn = 0; turn < 50; turn++) await null;
    held.mockRestore();
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'lost', unstopped: true });
  });

  it('that ignores its signal does not hold up the run', async () => {
    const outcome = await call('inventory.deaf', {}, { signal: AbortSignal.timeout(20) });
    expect(outcome).toMatchObject({ kind: 'lost', cause: 'timeout' });
  });

  it('that ends in its own way keeps its result', async () => {
    const controller = new AbortController();
    const outcome = call('inventory.polite', {}, { signal: controller.signal });
    setImmediate(() => controller.abort());
    expect(await outcome).toEqual({ kind: 'succeeded', result: 'half' });
  });

  it('inside a method stops what the method called', async () => {
    const outcome = await call(
      'inventory.forward',
      { tool: 'inventory.deaf' },
      { signal: AbortSignal.timeout(20) },
    );
    expect(outcome).toMatchObject({ kind: 'lost', cause: 'timeout' });
  });

  it('before it began leaves no doubt', async () => {
    const outcome = await call('inventory.deaf', {}, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'cancelled' } });
  });
});

describe('a service that cannot work is refused when it is defined', () => {
  const method = { description: '', input: z.object({}), effect: 'read' as const, run: () => null };
  it.each<[string, () => unknown]>([
    ['two services of one name', () => openToolbox({ services: [greet, greet] })],
    [
      'a service with the name of a server',
      () => openToolbox({ services: [greet], mcpServers: { greet: script('') } }),
    ],
    [
      'a name that cannot be written',
      async () => defineService({ name: 'my service', methods: { a: method } }),
    ],
    [
      'a method name that cannot be written',
      async () => defineService({ name: 'mine', methods: { 'a b': method } }),
    ],
    [
      'a read that says it calls a write',
      () =>
        openToolbox({
          services: [
            defineTool({ ...method, name: 'look', calls: ['put'] }),
            defineTool({ ...method, name: 'put', effect: 'write' }),
          ],
        }),
    ],
    ['arguments without names', async () => defineTool({ ...method, name: 'a', input: z.string() })],
    [
      'arguments that JSON does not have',
      async () => defineTool({ ...method, name: 'a', input: z.object({ at: z.date() }) }),
    ],
  ])('%s', async (_name, define) => {
    await expect(Promise.resolve().then(define)).rejects.toMatchObject({
      name: 'DandoriError',
      code: 'service-invalid',
    });
  });
});
