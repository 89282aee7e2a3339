import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResults } from '../../src/driver/results.ts';
import { type Lifted, lift } from '../../src/history/save-as-plan.ts';
import type { Json } from '../../src/model/json.ts';
import { shown } from '../../src/model/redact.ts';
import type { Task } from '../../src/model/task.ts';
import { parsePlan } from '../../src/plan/read.ts';
import { writePlan } from '../../src/plan/write.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply, ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { report } from '../../src/views/report.ts';
import { createHouse, DONE, type House, task } from '../driver/house.ts';

async function lifted(state: RunState, { parts }: House): Promise<Lifted> {
  const results = createResults(parts.blobs);
  await results.load(state, state.tasks.keys());
  return lift(state, (id) => results.get(state, id));
}

/** Through the file, as a person would. */
function tasksOf(plan: Lifted) {
  return parsePlan(writePlan(plan), 'plan.yaml').tasks;
}

const argsOf = (plan: Lifted) => Object.fromEntries(plan.tasks.map(({ id, args }) => [id, args]));

const WEATHER: Record<string, FunctionTool> = {
  'places.locate': {
    run: ({ ip }) => ({ city: ip === '1.1.1.1' ? 'Kyoto' : 'Sapporo', zip: 60100, floor: 3 }),
  },
  'places.weather': { run: ({ city }) => ({ city: city ?? null, sky: `sky over ${String(city)}` }) },
  'letters.send': { effect: 'write', run: ({ text }) => ({ sent: text ?? null }) },
};

const adaptive = (...replies: Reply[]) => createHouse(WEATHER, [...replies, ...DONE]);

async function liftOf(goal: string, ...replies: Reply[]): Promise<Lifted> {
  const house = adaptive(...replies);
  return lifted(await house.run(goal, undefined, { mode: 'adaptive' }), house);
}

describe('a run is lifted to a plan', () => {
  const locate: Reply = [{ operation: 'places.locate', args: { ip: '1.1.1.1' } }];

  it('that follows other data, because values from results have become Refs', async () => {
    const house = adaptive(locate, [{ operation: 'places.weather', args: { city: 'Kyoto' } }]);
    const plan = await lifted(await house.run('the weather here'), house);
    expect(argsOf(plan)).toEqual({ t1: { ip: '1.1.1.1' }, t1_2: { city: '${t1.city}' } });
    expect(plan.inferred).toEqual([{ task: 't1_2', path: ['city'], ref: '${t1.city}', value: 'Kyoto' }]);
    const [first, ...rest] = tasksOf(plan);
    const again = createHouse(WEATHER, DONE);
    const other = await again.run('elsewhere', [
      { ...task('t1', 'places.locate'), ...first, args: { ip: '2.2.2.2' } },
      ...rest,
    ]);
    expect(report(other).tasks.t1_2?.result).toEqual({ city: 'Sapporo', sky: 'sky over Sapporo' });
  });

  it('in which calls stand for the steps that they belonged to', async () => {
    const given: Task[] = [
      { id: 'send', operation: 'letters.send', args: { text: 'first' } },
      { id: 'open', operation: 'task.generate_list', args: {}, after: ['send'] },
      { id: 'use', operation: 'places.weather', args: { city: '${open.city}' } },
      { id: 'last', operation: 'places.weather', args: { city: 'Kyoto' }, after: ['open'] },
    ];
    const house = adaptive(locate);
    const plan = await lifted(await house.run('go', given), house);
    expect(plan.tasks.map(({ id, after }) => [id, after])).toEqual([
      ['send', undefined],
      ['t1', ['send']],
      ['use', undefined],
      ['last', ['t1']],
    ]);
    // The user wrote Kyoto before any result held it.
    expect(argsOf(plan)).toMatchObject({ use: { city: '${t1.city}' }, last: { city: 'Kyoto' } });
    expect(plan.inferred).toEqual([]);
  });

  it.each<[string, string, Json, Json]>([
    ['what the goal says', 'the weather in KYOTO', 'Kyoto', 'Kyoto'],
    ['a small number, equal by chance', 'the weather', 3, 3],
    ['a number that is specific', 'the weather', 60100, '${t1.zip}'],
    ['a number in the goal', 'the weather of 60100', 60100, 60100],
    ['a text that holds the value among others', 'the weather', 'in Kyoto now', 'in Kyoto now'],
    ['text that looks like a Ref', 'the weather', '$${t1.city}', '$${t1.city}'],
    ['a value deep in a list', 'the weather', { of: ['Kyoto', true] }, { of: ['${t1.city}', true] }],
    ['a whole result', 'the weather', { zip: 60100, floor: 3, city: 'Kyoto' }, '${t1}'],
  ])('%s', async (_name, goal, sent, expected) => {
    const plan = await liftOf(goal, locate, [{ operation: 'places.weather', args: { city: sent } }]);
    expect(argsOf(plan).t1_2).toEqual({ city: expected });
  });

  it('what appears twice stays a value unless one has the same name, and of two results the later one is meant', async () => {
    const twice = await liftOf(
      'compare',
      [{ operation: 'letters.send', args: { text: ['Nara', 'Nara'] } }],
      [{ operation: 'places.weather', args: { city: 'Nara' } }],
    );
    expect(twice.inferred).toEqual([]);
    const tools = { ...WEATHER, 'places.locate': { run: () => ({ city: 'Kyoto', region: 'Kyoto' }) } };
    const named = createHouse(tools, [
      locate,
      [{ operation: 'places.weather', args: { city: 'Kyoto' } }],
      ...DONE,
    ]);
    const plan = await lifted(await named.run('here', undefined, { mode: 'adaptive' }), named);
    expect(plan.inferred).toMatchObject([{ ref: '${t1.city}' }]);
    const later = await liftOf(
      'compare',
      locate,
      [{ operation: 'letters.send', args: { text: 'Kyoto' } }],
      [{ operation: 'places.weather', args: { city: 'Kyoto' } }],
    );
    expect(later.inferred.map(({ task: id, ref }) => [id, ref])).toEqual([
      ['t1_2', '${t1.city}'],
      ['t1_3', '${t1_2.sent}'],
    ]);
  });

  it('what a person answered is theirs, and no Ref', async () => {
    const house = adaptive([{ operation: 'ask', args: { question: 'which city?' } }], locate, [
      { operation: 'places.weather', args: { city: 'Kyoto' } },
    ]);
    const run = await house.start('the weather', undefined, { mode: 'adaptive' });
    await house.drive(run);
    await house.answer(run, 'q1', 'Kyoto, please');
    expect((await lifted(await house.drive(run), house)).inferred).toEqual([]);
  });

  it('within one decision nothing is inferred: the values were not known yet', async () => {
    const plan = await liftOf('both', [
      { id: 'a', operation: 'places.locate', args: { ip: '1.1.1.1' } },
      { id: 'b', operation: 'places.weather', args: { city: 'Kyoto' } },
    ]);
    expect(plan.inferred).toEqual([]);
  });

  it('Refs, conditions and limits that were written stay as they are', async () => {
    const house = createHouse(WEATHER, DONE);
    const tasks = [
      task('a', 'places.locate', { args: { ip: '1.1.1.1' }, expect: "city == 'Kyoto'", timeoutMs: 1500 }),
      task('b', 'places.weather', { args: { city: 'of $$${a.city}' }, after: ['a'], reasoning: 'why: so' }),
    ];
    const state = await house.run('given', tasks);
    expect(tasksOf(await lifted(state, house))).toEqual(tasks);
  });

  it('what failed is left out and named, with what it blocked, and nothing waits for it', async () => {
    const tools = { ...WEATHER, 'places.weather': { faults: [{ kind: 'fail' as const, message: 'rain' }] } };
    const house = createHouse(tools, DONE);
    const state = await house.run('some', [
      task('a', 'places.locate', { args: { ip: '1.1.1.1' } }),
      task('b', 'places.weather', { args: { city: '${a.city}' } }),
      task('c', 'letters.send', { args: { text: '${b}' } }),
    ]);
    const plan = await lifted(state, house);
    expect(plan.tasks.map(({ id }) => id)).toEqual(['a']);
    expect(plan.left).toEqual([
      { task: 'b', operation: 'places.weather', reason: 'failed: rain' },
      { task: 'c', operation: 'letters.send', reason: 'blocked' },
    ]);
  });

  it('a large result is looked into where its blob can be read, and named where not', async () => {
    const tools = {
      ...WEATHER,
      'big.list': { run: () => ({ filler: 'x'.repeat(50_000), rows: [{ name: 'Otaru' }] }) },
    };
    const script: Reply[] = [
      [{ operation: 'big.list' }],
      [{ operation: 'places.weather', args: { city: 'Otaru' } }],
    ];
    const house = createHouse(tools, [...script, ...DONE]);
    const state = await house.run('look', undefined, { mode: 'adaptive' });
    expect((await lifted(state, house)).inferred).toMatchObject([{ ref: '${t1.rows[0].name}' }]);
    const blind = lift(state, (id) => (id === 't1' ? undefined : null));
    expect(blind).toMatchObject({ inferred: [], unread: ['t1'] });
  });

  it('a secret is not in the journal, and the plan says where it is missing', async () => {
    const house = createHouse(WEATHER, DONE, { secrets: ['hunter22'] });
    const { run } = await house.run('tell', [
      task('a', 'letters.send', { args: { text: 'it is hunter22' } }),
    ]);
    const state = fold(shown(await house.events(run))) as RunState;
    expect(await lifted(state, house)).toMatchObject({
      redacted: ['a'],
      tasks: [{ args: { text: 'it is [secret]' } }],
    });
  });

  it('a result with odd keys is referred to as well as any', async () => {
    const odd = {
      'a b': { 'quo"te': { 'back\\slash': ['deep value'] } },
      '': 'under nothing',
      é: 'accented',
    };
    const tools = { ...WEATHER, 'odd.get': { run: () => odd } };
    const script: Reply[] = [
      [{ operation: 'odd.get' }],
      [{ operation: 'letters.send', args: { text: ['deep value', 'under nothing', 'accented'] } }],
    ];
    const house = createHouse(tools, [...script, ...DONE]);
    const plan = await lifted(await house.run('odd', undefined, { mode: 'adaptive' }), house);
    expect(plan.inferred).toHaveLength(3);
    const again = createHouse(tools, DONE);
    const state = await again.run('odd', tasksOf(plan));
    expect(report(state).tasks.t1_2?.result).toEqual({ sent: ['deep value', 'under nothing', 'accented'] });
  });
});

/** Two servers over one disk: what the one writes the other reads, and no compiler can know it. */
function workshop(): Record<string, FunctionTool> {
  const disk = new Map<string, Json>();
  const hash = (value: Json) => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 10);
  return {
    'maker.make': {
      takes: 5,
      run: ({ seed = null }) => ({ id: hash(seed), parts: [{ name: `part-${hash([seed])}` }], count: 2 }),
    },
    'maker.mix': { takes: 3, run: (args) => ({ mixed: hash(args), of: Object.keys(args).length }) },
    'disk.write': {
      effect: 'write',
      takes: 50,
      run: ({ name = null, value = null }) => {
        disk.set(JSON.stringify(name), value);
        return { written: hash([name, value]) };
      },
    },
    'viewer.look': {
      takes: 1,
      run: ({ name = null }) => ({ found: disk.get(JSON.stringify(name)) ?? null, all: disk.size }),
    },
  };
}

interface Move {
  readonly kind: 'make' | 'mix' | 'write' | 'look';
  readonly pick: number;
  readonly other: number;
}

/** What a mind might do: the next calls with values that it saw, now from the first result and now from the last. */
function scriptOf(steps: readonly (readonly Move[])[]): Reply[] {
  return steps.map((moves) => ({ state, result }) => {
    const seen = [...state.tasks.keys()].flatMap((id) => leavesOf(result(id) ?? null));
    const value = (pick: number): Json => seen[pick % Math.max(1, seen.length)] ?? `literal ${pick} $\${x}`;
    return moves.map(({ kind, pick, other }): ScriptedAction => {
      if (kind === 'make') return { operation: 'maker.make', args: { seed: value(pick) } };
      if (kind === 'mix')
        return { operation: 'maker.mix', args: { a: value(pick), b: [value(other), { c: pick }] } };
      if (kind === 'look') return { operation: 'viewer.look', args: { name: `file ${pick % 3}` } };
      return { operation: 'disk.write', args: { name: `file ${pick % 3}`, value: value(other) } };
    });
  });
}

function leavesOf(value: Json): Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

const move = (...kinds: Move['kind'][]) =>
  fc.record({ kind: fc.constantFrom(...kinds), pick: fc.nat(50), other: fc.nat(50) });
/** What one decision asks for is made at once, so that it may touch the disk only once. */
const step = fc.oneof(
  fc.array(move('make', 'mix'), { minLength: 1, maxLength: 3 }),
  fc.tuple(move('write', 'look')),
);

describe('F1: a lifted plan does what the run did', () => {
  it('with the same tools every task has the same result, whatever the mind did', async () => {
    let inferred = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const house = createHouse(workshop(), [...scriptOf(steps), ...DONE]);
        const before = await house.run('work', undefined, { mode: 'adaptive' });
        const plan = await lifted(before, house);
        inferred += plan.inferred.length;
        const again = createHouse(workshop(), DONE);
        const after = await again.run('work', tasksOf(plan));
        expect(resultsOf(after)).toEqual(resultsOf(before));
      }),
      { numRuns: 60 },
    );
    expect(inferred).toBeGreaterThan(0);
  });
});

function resultsOf(state: RunState): object {
  return Object.fromEntries(
    Object.entries(report(state).tasks).map(([id, { status, result }]) => [id, { status, result }]),
  );
}
