import { describe, expect, it } from 'vitest';
import { landmarkOf, laterEffects, marksOf, nearestLandmark } from '../../src/run/past/landmarks.ts';
import { keptRuns } from '../lived.ts';

describe('landmarks of the past', () => {
  it('lead to each decision, question and failure of a run, in both directions', async () => {
    for (const { events } of (await keptRuns()).values()) {
      for (const kind of ['decision', 'question', 'failure'] as const) {
        const all = events.filter((event) => landmarkOf(event) === kind).map(({ seq }) => seq);
        const walk = (from: number, isBack: boolean): number[] => {
          const seq = nearestLandmark(events, from, { kind, isBack });
          return seq === undefined ? [] : [seq, ...walk(seq, isBack)];
        };
        expect(walk(1, false)).toEqual(all.filter((seq) => seq > 1));
        expect(walk(events.length + 1, true)).toEqual(all.toReversed());
      }
    }
  });

  it('have a limited number of marks, however long the run', () => {
    const event = { v: 1, run: 'r', at: 0, type: 'decision_made', data: { decision: 1, ms: 1 } } as const;
    const events = Array.from({ length: 20_000 }, (_, index) => ({ ...event, seq: index + 1 }));
    const marks = marksOf(events);
    expect(marks.length).toBeLessThan(300);
    expect(marks.map(({ place }) => place)).toEqual(expect.arrayContaining([0, 1]));
  });

  it('list the calls that a fork may repeat, without reads', async () => {
    const run = (await keptRuns()).get('asked-approved-and-in-doubt');
    if (run === undefined) throw new Error('The journal is there.');
    const first = run.events.find(({ type }) => type === 'task_started')?.seq ?? 0;
    const operations = (seq: number) =>
      laterEffects(run.events, seq, run.state).map(({ operation }) => operation);
    expect(operations(first - 1)).toEqual(expect.arrayContaining(['mail.send', 'shop.order', 'post.put']));
    expect(operations(run.events.length)).toEqual([]);
  });
});
