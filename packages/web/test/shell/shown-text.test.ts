import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../dandori/src/client/client.ts';
import { DandoriError } from '../../../dandori/src/model/error.ts';
import { createShownClient, toRaw, toShown } from '../../src/shell/shown-text.ts';

const CONTROL = /[\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]/;
const SOURCE = join(import.meta.dirname, '../../src');

/** Texts of controls, of signs and selectors that look like replaced ones, and of anything else. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff\ufffd\ufe00\ufe04\ufe08\ufe0b\ufe0ca',
    ),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
});

describe('bidirectional controls and zero-width characters', () => {
  it('are in no shown text, and are restored in what leaves the page', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), hostile, hostile, (value, text, key) => {
        const written = { [key]: [text, { value }] };
        const shown = toShown(written);
        expect(JSON.stringify(shown)).not.toMatch(CONTROL);
        expect(toRaw(shown)).toEqual(written);
      }),
    );
  });

  it('leave other values unchanged', () => {
    const value = { rows: [{ city: 'Nara' }], signal: new AbortController().signal };
    expect(toShown(value)).toBe(value);
    expect(toRaw(value)).toBe(value);
  });
});

describe('the client of the page', () => {
  const sent: unknown[] = [];
  const api = {
    answer: async (...given: unknown[]) => void sent.push(given),
    run: async () => ({ goal: 'a\u202eb' }),
    plan: async () => {
      throw new DandoriError('plan-invalid', 'no \u202e', { fix: 'fix \u202e', diagnostics: [] });
    },
    async *follow() {
      yield { kind: 'event', event: { data: { 'k\u202e': '\u2066x' } } };
    },
    conversations: { get: async () => ({ title: '\u202et' }) },
  };
  const client = createShownClient(api as unknown as Client);

  it('replaces them in results, streams and errors, and restores them in requests', async () => {
    const { goal } = (await client.run('r')) as unknown as { goal: string };
    const heard = await Array.fromAsync(client.follow('r'));
    const talk = await client.conversations.get('c');
    const error = await client.plan('r').catch((thrown: unknown) => thrown);
    expect(JSON.stringify([goal, heard, talk])).not.toMatch(CONTROL);
    expect(`${(error as DandoriError).message}${(error as DandoriError).fix}`).not.toMatch(CONTROL);
    await client.answer('r', 'q', { chosen: goal });
    expect(sent).toEqual([['r', 'q', { chosen: 'a\u202eb' }]]);
  });

  it('is the only door: no other code sends requests, copies or saves files', () => {
    const doors = {
      'shell/session.tsx': /\bcreateClient\(/,
      'shell/connection.tsx': /(?<![\w.])fetch\(/,
      'ui/export-text.ts': /clipboard\.write|new Blob\(/,
    };
    const any =
      /(?<![\w.])fetch\(|createClient\(|EventSource|WebSocket|XMLHttpRequest|sendBeacon|clipboard\.(write|read)|new Blob\(|postMessage|window\.name|document\.cookie|localStorage\.getItem|location\.hash/g;
    const found = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const known = Object.entries(doors).find(([door]) => file.endsWith(door))?.[1];
        const uses = readFileSync(join(SOURCE, file), 'utf8').match(any) ?? [];
        return uses.filter((use) => known?.test(use) !== true).map((use) => `${file}: ${use}`);
      });
    // Preferences are one of a few known words, and anything else is ignored.
    expect(found).toEqual([
      'shell/language.tsx: localStorage.getItem',
      'shell/preferences.tsx: localStorage.getItem',
    ]);
  });
});
