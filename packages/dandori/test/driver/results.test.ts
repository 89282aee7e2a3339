import { describe, expect, it } from 'vitest';
import type { Parts } from '../../src/driver/parts.ts';
import { shown } from '../../src/model/redact.ts';
import type { Blobs } from '../../src/store/blobs.ts';
import { createMemoryBlobs } from '../../src/store/in-memory.ts';
import { createHouse, DONE, task } from './house.ts';

const LARGE = { rows: Array.from({ length: 5_000 }, (_, index) => ({ index, city: `city ${index}` })) };

describe('a large result', () => {
  it('is stored beside the journal, and Refs reach into it', async () => {
    const house = createHouse(
      { 'a.get': { run: () => LARGE }, 'b.put': { effect: 'write', run: (args) => args } },
      DONE,
    );
    const run = await house.start('go', [
      task('g', 'a.get'),
      task('p', 'b.put', { args: { city: '${g.rows[4321].city}' } }),
    ]);
    const state = await house.drive(run);
    expect(state.tasks.get('p')?.result).toEqual({ value: { city: 'city 4321' } });
    expect(JSON.stringify(await house.events(run)).length).toBeLessThan(10_000);
    expect(state.tasks.get('g')?.result).toMatchObject({
      blob: { bytes: JSON.stringify(LARGE).length, head: expect.stringMatching(/^\{"rows":/) },
    });
  });

  it('is available after a resume', async () => {
    const house = createHouse(
      { 'a.get': { run: () => LARGE }, 'b.put': { effect: 'write', run: (args) => args } },
      DONE,
    );
    const plan = [
      task('g', 'a.get'),
      task('p', 'b.put', { args: { city: '${g.rows[17].city}', all: '${g.rows | length(@)}' } }),
    ];
    const run = await house.start('go', plan, { approval: 'writes' });
    await house.drive(run);
    await house.answer(run, 'q1', 'approve');
    const state = await house.drive(run);
    expect(state.tasks.get('p')?.result).toEqual({ value: { city: 'city 17', all: 5_000 } });
  });

  it('that is missing stops the drive with the reason, and the run can still be cancelled', async () => {
    const house = createHouse({ 'a.get': { run: () => LARGE }, 'b.put': { effect: 'write' } }, DONE);
    const run = await house.start(
      'go',
      [task('g', 'a.get'), task('p', 'b.put', { args: { x: '${g.rows[0]}' } })],
      { approval: 'writes' },
    );
    await house.drive(run);
    await house.answer(run, 'q1', 'approve');
    const empty = createMemoryBlobs();
    await expect(house.drive(run, { blobs: empty })).rejects.toMatchObject({ code: 'blob-damaged' });
    await house.cancel(run, 'lost');
    expect((await house.drive(run, { blobs: empty })).end?.outcome).toBe('cancelled');
  });

  it('a prompt shows its beginning, size, shape and how to read the rest', async () => {
    const house = createHouse({ 'a.get': { run: () => LARGE }, 'b.get': { run: () => 'x'.repeat(20_000) } }, [
      ({ resultText, result }) => {
        expect(resultText('g')).toMatch(
          /^\{"rows":.{100,500}… \(\d+ bytes in all\)\nshape: \{rows: \[5000 × \{index: number, city: string\}\]\}\nRead more of it with result\.read \{"task": "g"\}, or use it by the Ref \$\{g\.path\}\.$/,
        );
        expect(resultText('h')).toMatch(/\(20002 characters in all\)\nshape: string of 20000 characters\n/);
        expect(resultText('h').length).toBeLessThan(8_300);
        expect(resultText('h', 500).length).toBeLessThan(600);
        expect(result('h')).toHaveLength(20_000);
        expect(resultText('nobody')).toBe('');
        return [{ operation: 'answer', args: { text: 'The last is ${g.rows[-1].city}.' } }];
      },
    ]);
    const state = await house.run('go', [task('g', 'a.get'), task('h', 'b.get')]);
    expect(state.end?.answer).toBe('The last is city 4999.');
  });

  it('the same content is stored once', async () => {
    const texts = new Set<string>();
    const inner = createMemoryBlobs();
    const blobs: Blobs = {
      ...inner,
      put: (parts) => {
        const text = [...parts].join('');
        return inner.put([text]).finally(() => texts.add(text));
      },
    };
    const house = createHouse({ 'a.get': { run: () => LARGE } }, DONE, { blobs });
    await house.run('go', [task('g', 'a.get'), task('h', 'a.get')]);
    expect(texts.size).toBe(1);
  });
});

describe('a secret', () => {
  it('is in no event and in no blob, wherever it occurs', async () => {
    const secret = 'sk-very-secret';
    const stored: string[] = [];
    const inner = createMemoryBlobs();
    const blobs: Blobs = {
      ...inner,
      put: (parts) => {
        const text = [...parts].join('');
        stored.push(text);
        return inner.put([text]);
      },
    };
    const house = createHouse(
      {
        'a.get': { run: () => ({ echo: secret, [secret]: 1 }) },
        'a.big': { run: () => ({ text: 'x'.repeat(40_000) + secret }) },
        'a.bad': { faults: [{ kind: 'fail', message: `401 for ${secret}` }] },
        'a.ask': { run: () => ({ kind: 'ambiguous', question: `Is it ${secret}?`, options: [] }) },
      },
      [
        [
          { operation: 'a.get', args: { key: secret } },
          { operation: 'a.big' },
          { operation: 'a.bad' },
          { operation: 'a.ask' },
        ],
        [{ operation: 'answer', args: { text: `The key is ${secret}` } }],
      ],
      { blobs, secrets: [secret, ''] },
    );
    const run = await house.start(`use ${secret}`);
    await house.drive(run);
    await house.cancel(run, `because of ${secret}`);
    const state = await house.drive(run);
    expect(JSON.stringify(await house.events(run))).not.toContain(secret);
    expect(stored.join()).not.toContain(secret);
    expect(stored).toHaveLength(1);
    expect(shown(state.tasks.get('t1')?.result)).toEqual({ value: { echo: '[secret]', '[secret]': 1 } });
    expect(house.toolbox.calls[0]?.call.args).toEqual({ key: secret });
  });

  it('a live run and a resumed one see the same', async () => {
    const house = createHouse(
      { 'a.get': { run: () => ({ key: 'sk-1' }) }, 'b.put': { effect: 'write', run: (args) => args } },
      DONE,
      { secrets: ['sk-1'] },
    );
    const plan = [task('g', 'a.get'), task('p', 'b.put', { args: { key: '${g.key}' } })];
    const live = await house.run('go', plan);
    expect(shown(live.tasks.get('p')?.result)).toEqual({ value: { key: '[secret]' } });
    expect(house.toolbox.calls.map(({ call }) => call.args)).toEqual([{}, { key: 'sk-1' }]);
  });
});

describe('onOpened', () => {
  it('reports what a drive finds, so that what follows the run need not read it again', async () => {
    const found: number[][] = [];
    const onOpened: Parts['onOpened'] = (events) => void found.push(events.map(({ seq }) => seq));
    const house = createHouse({ 'a.get': { takes: 5 } }, DONE, { onOpened });
    const run = await house.start('go', [task('g', 'a.get')]);
    const begun = (await house.events(run)).map(({ seq }) => seq);
    await house.drive(run);
    const ended = (await house.events(run)).map(({ seq }) => seq);
    await house.drive(run);
    expect(found).toEqual([begun, ended]);
  });
});

describe('onEvent', () => {
  it('reports every event once, in order, after it is durable', async () => {
    const told: number[] = [];
    const house = createHouse({ 'a.get': { takes: 5 } }, DONE, { onEvent: ({ seq }) => told.push(seq) });
    const run = await house.start('go', [task('g', 'a.get'), task('h', 'a.get', { after: ['g'] })]);
    await house.drive(run);
    const seqs = (await house.events(run)).map(({ seq }) => seq);
    expect(told).toEqual(seqs.slice(2));
  });
});
