import { describe, expect, it } from 'vitest';
import { type Bar, barsOf } from '../../src/run/timeline/bars.ts';
import { criticalPath } from '../../src/run/timeline/critical-path.ts';
import { drawnBars, neighbourBar, rowsOf } from '../../src/run/timeline/rows.ts';
import { createScale, ticksOf } from '../../src/run/timeline/scale.ts';
import { ANSWER, keptRuns, live } from '../lived.ts';

const call = (id: string, operation: string, args = {}) => ({ id, operation, args });

function bar(id: string, start: number, end: number | undefined, more: Partial<Bar> = {}): Bar {
  const how = end === undefined ? 'open' : 'succeeded';
  return { id, kind: 'attempt', task: id, which: 1, start, end, how, ...more };
}

describe('the bars of a timeline', () => {
  it('has every attempt, decision and question of the kept journals, each with an end', async () => {
    for (const { events } of (await keptRuns()).values()) {
      const { bars } = barsOf(events);
      const count = (type: string) => events.filter((event) => event.type === type).length;
      const kinds = Map.groupBy(bars, ({ kind }) => kind);
      expect(kinds.get('attempt')?.length ?? 0).toBe(count('task_started'));
      expect(kinds.get('decision')?.length ?? 0).toBe(count('decision_started'));
      expect(kinds.get('wait')?.length ?? 0).toBe(count('question_asked'));
      const isCancelled = count('cancel_requested') > 0;
      if (!isCancelled) expect(bars.filter(({ end }) => end === undefined)).toEqual([]);
      expect(bars.every(({ start, end = start }) => end >= start)).toBe(true);
    }
  });
});

describe('the rows of a timeline', () => {
  it('are as few as possible, and a task stays in one row', () => {
    const rows = rowsOf([
      bar('a', 0, 10),
      bar('b', 5, 20),
      bar('a2', 12, 18, { task: 'a', which: 2 }),
      bar('c', 18, 30),
      bar('d', 20, 25),
    ]);
    expect(rows.map(({ bars }) => bars.map(({ id }) => id))).toEqual([
      ['a', 'a2', 'c'],
      ['b', 'd'],
    ]);
    expect(neighbourBar(rows, 'a', 'behind')?.id).toBe('a2');
    expect(neighbourBar(rows, 'c', 'below')?.id).toBe('d');
    expect(neighbourBar(rows, 'b', 'below')).toBeUndefined();
  });

  it('give the model and the user rows of their own', () => {
    const rows = rowsOf([
      bar('one', 0, 5, { kind: 'decision', task: undefined }),
      bar('q1', 5, undefined, { kind: 'wait', task: undefined }),
      bar('a', 5, 9),
    ]);
    expect(rows.map(({ kind }) => kind)).toEqual(['model', 'user', 'tasks']);
  });
});

describe('the critical path', () => {
  it('leads from the last end back through what each bar waited for', async () => {
    const { events, state } = await live({
      replies: [
        [
          call('quick', 'books.find'),
          call('slow', 'shelf.slow'),
          call('last', 'books.find', { q: '${slow.title} ${quick.title}' }),
          call('beside', 'books.find', { q: '${quick.title}' }),
        ],
        ANSWER,
      ],
      tools: { 'shelf.slow': { takes: 500, run: () => ({ title: 'tea' }) } },
    });
    const found = barsOf(events);
    const { ids: path } = criticalPath(found, state);
    const tasks = found.bars
      .filter(({ id }) => path.has(id))
      .map(({ kind, task, which }) => task ?? `${kind} ${which}`);
    expect(tasks).toEqual(['decision 1', 'slow', 'last', 'decision 2']);
  });

  it('goes through a retry to the previous attempt', async () => {
    const { events, state } = await live({
      replies: [ANSWER],
      tasks: [call('a', 'books.busy')],
      tools: { 'books.busy': { takes: 5, run: () => ({}), faults: [{ kind: 'fail', retryable: true }] } },
    });
    const { ids } = criticalPath(barsOf(events), state);
    expect([...ids]).toEqual(['decision run 1', 'attempt a 2', 'attempt a 1']);
  });
});

describe('a wait for a free slot', () => {
  it('is shown only on the critical path', async () => {
    const tools = { 'shelf.slow': { takes: 100, run: () => ({ title: 'tea' }) } };
    const tasks = ['a', 'b', 'c'].map((id) => call(id, 'shelf.slow'));
    const lived = async (concurrency: number) => {
      const { events, state } = await live({ replies: [ANSWER], tasks, tools, settings: { concurrency } });
      const { slots } = criticalPath(barsOf(events), state);
      return slots.map(({ id, start, end = start }) => `${id} ${end - start}`);
    };
    expect(await lived(1)).toEqual(['slot c 200']);
    expect(await lived(3)).toEqual([]);
  });
});

describe('the axis of time', () => {
  const day = 86_400_000;
  const bars = [bar('a', 0, 1_000), bar('q', 1_000, day, { kind: 'wait' }), bar('b', day, day + 1_000)];
  const range = { start: 0, end: day + 1_000 };

  it('folds a day of waiting for an answer, and maps every time back', () => {
    const scale = createScale(bars, range, true);
    expect(scale.length).toBeLessThan(2_500);
    expect(scale.folds.map(({ ms }) => ms)).toEqual([day - 1_000]);
    for (const time of [0, 500, 1_000, day / 2, day, day + 700])
      expect(scale.timeAt(scale.placeOf(time))).toBeCloseTo(time, 3);
    expect(scale.placeOf(range.end)).toBeCloseTo(scale.length, 6);
  });

  it('is linear without folds', () => {
    const scale = createScale(bars, range, false);
    expect(scale.length).toBe(range.end);
    expect(scale.placeOf(day / 2)).toBe(day / 2);
  });

  it('has round times that do not overlap', () => {
    const scale = createScale(bars, range, true);
    const ticks = ticksOf(scale, { from: 0, to: scale.length, gap: 200 });
    expect(ticks.slice(0, 3).map(({ ms }) => ms)).toEqual([0, 200, 400]);
    expect(ticks.at(-1)?.ms).toBe(day + 1_000);
    expect(ticks.every(({ place }, index) => index === 0 || place > (ticks[index - 1]?.place ?? 0))).toBe(
      true,
    );
  });
});

describe('the visible part of a row', () => {
  it('is what is in view, and no more bars than pixels', () => {
    const many = Array.from({ length: 50_000 }, (_, n) => bar(`t${n}`, n, n + 1));
    const all = drawnBars(many, { pixelOf: (time) => time / 50, now: 50_000, from: 0, to: 1_000 });
    expect(all.length).toBeLessThan(500);
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(50_000);
    const some = drawnBars(many, { pixelOf: (time) => time * 10, now: 50_000, from: 100, to: 200 });
    expect(some[0]?.bar.id).toBe('t9');
    expect(some.at(-1)?.bar.id).toBe('t20');
  });
});
