import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ambiguous, defineService } from '../../src/tools/service.ts';
import { openToolbox, toCall } from './fixtures/calls.ts';

const calls: string[] = [];
const shelf = defineService({
  name: 'shelf',
  methods: {
    count: {
      description: 'How many there are',
      input: z.object({ item: z.string() }),
      effect: 'read',
      run: () => 5,
    },
    drop: {
      description: 'Throws an item away',
      input: z.object({ item: z.string(), count: z.number().optional() }),
      effect: 'destructive',
      calls: ['shelf.count', 'shelf.sweep'],
      async preview({ item, count = 1 }, { call, language }) {
        if (item === 'milk')
          throw ambiguous({
            question: 'Which milk?',
            options: [{ label: 'whole', args: { item: 'whole' } }],
          });
        if (item === 'dust') await call('shelf.sweep', {});
        const there = await call('shelf.count', { item });
        const summary =
          language === 'ja' ? `${item} を ${count} 個捨てます` : `Drop ${count} of ${String(there)}`;
        return { summary, reversible: false, args: { count } };
      },
      run({ item }) {
        calls.push(`drop ${item}`);
        return {};
      },
    },
    sweep: {
      description: 'Sweeps',
      input: z.object({}),
      effect: 'write',
      run() {
        calls.push('sweep');
        return {};
      },
    },
  },
});

describe('the preview of a method of a service', () => {
  const ask = async (item: string, language: 'en' | 'ja' = 'en') => {
    const toolbox = await openToolbox({ services: [shelf] });
    return toolbox.call(toCall('shelf.drop', { item }, { preview: true, language }));
  };

  it('says in the language of the user what the call would do, with the exact arguments, and does nothing', async () => {
    expect(await ask('tea')).toMatchObject({
      kind: 'succeeded',
      result: { summary: 'Drop 1 of 5', reversible: false, args: { count: 1 } },
    });
    expect(await ask('tea', 'ja')).toMatchObject({ result: { summary: 'tea を 1 個捨てます' } });
    expect(calls).toEqual([]);
  });

  it('lets the user choose before the call is approved', async () => {
    expect(await ask('milk')).toMatchObject({ kind: 'ambiguous', question: 'Which milk?' });
  });

  it('can only read, whatever the method may call', async () => {
    const outcome = await ask('dust');
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(outcome)).toContain('may only read');
    expect(calls).toEqual([]);
  });

  it('is refused where the method has none, instead of running it', async () => {
    const toolbox = await openToolbox({ services: [shelf] });
    const outcome = await toolbox.call(toCall('shelf.sweep', {}, { preview: true, language: 'en' }));
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(calls).toEqual([]);
  });
});
