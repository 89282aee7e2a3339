import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extractActions } from '../../../src/mind/parsing/extract-actions.ts';
import { ActionScanner } from '../../../src/mind/parsing/scanner.ts';

const folder = new URL('../../../../../../shared/fixtures/', import.meta.url);

interface RawOutput {
  readonly id: string;
  readonly text: string;
  readonly class: string;
}

interface Corruption extends RawOutput {
  readonly baseId: string;
  readonly kind: string;
  readonly expect: string;
}

// Real data that may not be part of the project: without the folder there is nothing to test.
describe.skipIf(!existsSync(folder))('outputs of real models', () => {
  it('never crash, and one that was cut is never a plan', () => {
    const outputs = read<RawOutput>('real_llm_raw.jsonl');
    expect(outputs.length).toBeGreaterThan(200);
    for (const { id, text, class: kind } of outputs) {
      const extraction = extractActions(text);
      if (kind === 'truncated' || kind === 'syntax_error') expect(extraction.ok, id).toBe(false);
      // These models were asked for something else; a part of it that looks like calls is no plan.
      if (kind === 'valid' || kind === 'fenced_valid') expect(extraction, id).toMatchObject({ ok: false });
    }
  });

  it('give their calls when these are what was asked for, and none of them when cut at any place', () => {
    for (const { id, text } of read<RawOutput>('real_llm_raw.jsonl').filter(
      (output) => output.class === 'valid',
    )) {
      const { output } = JSON.parse(text) as { output: { name: string }[] };
      const raw = JSON.stringify({ actions: output }, null, 2);
      const whole = extractActions(raw);
      expect(whole.ok && whole.actions.map(({ operation }) => operation), id).toEqual(
        output.map(({ name }) => name),
      );
      for (let end = 1; end < raw.length; end += 7)
        expect(extractActions(raw.slice(0, end)).ok, id).toBe(false);
    }
  });

  it('are the same to the scanner in pieces as they are as a whole', () => {
    for (const { id, text } of read<RawOutput>('real_llm_raw.jsonl'))
      expect(scanned(text, 13), id).toEqual(scanned(text, text.length));
  });

  it('that were damaged on purpose get the verdict that was written for them', () => {
    const plans = new Map(
      read<{ id: string; plan: { tool: string }[] }>('nestful.jsonl').map(({ id, plan }) => [id, plan]),
    );
    const damaged = read<Corruption>('corruptions.jsonl').filter(({ kind }) => kind.startsWith('text_'));
    expect(damaged.length).toBeGreaterThan(100);
    for (const { id, baseId, text, expect: verdict } of damaged) {
      const extraction = extractActions(text);
      if (verdict === 'parse_error') expect(extraction.ok, id).toBe(false);
      else if (verdict === 'accept') expect(extraction.ok, id).toBe(true);
      if (!extraction.ok) continue;
      const tools = plans.get(baseId)?.map(({ tool }) => tool);
      expect(
        extraction.actions.map(({ operation }) => operation),
        id,
      ).toEqual(tools);
    }
  });
});

/** What the scanner tells of a text that comes in pieces of this size. */
function scanned(text: string, size: number): unknown {
  const actions: unknown[] = [];
  let told = '';
  const scanner = new ActionScanner({
    onAction: (action) => void actions.push(action),
    onText: (part) => {
      told += part;
    },
  });
  for (let start = 0; start < text.length; start += size) scanner.push(text.slice(start, start + size));
  return { actions, told };
}

function read<T>(name: string): T[] {
  const lines = readFileSync(new URL(name, folder), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}
