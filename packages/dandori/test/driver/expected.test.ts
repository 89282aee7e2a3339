import { describe, expect, it } from 'vitest';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { shownFailure } from '../../src/views/texts/said.ts';
import { createHouse, DONE, task } from './house.ts';

const TOOLS = { 'a.get': { run: () => ({ rows: [1, 2] }) } };

describe('an expected outcome as a JSON Schema', () => {
  const run = (schema: object) =>
    createHouse(TOOLS, DONE, { check: createSchemaCheck() }).run('go', [
      task('t1', 'a.get', { expect: JSON.parse(JSON.stringify(schema)) }),
    ]);

  it('holds', async () => {
    const state = await run({ type: 'object', required: ['rows'] });
    expect(state.tasks.get('t1')?.status).toBe('succeeded');
  });

  it('fails the task where the result does not fit', async () => {
    const state = await run({ properties: { rows: { maxItems: 1 } } });
    expect(state.tasks.get('t1')?.failure).toMatchObject({
      kind: 'unexpected',
      message: expect.stringMatching(/^Unexpected result: rows /),
    });
  });

  it('can be reported in another language later, because the failure has a code', async () => {
    const state = await run({ properties: { rows: { maxItems: 1 } } });
    const { failure } = state.tasks.get('t1') ?? {};
    expect(failure).toMatchObject({ code: 'misfit', params: { place: 'rows' } });
    const japanese = { goal: '', settings: { ...state.settings, language: 'ja' as const } };
    expect(failure && shownFailure(failure, japanese).message).toMatch(/^想定外の結果です：rows/);
  });

  it('is refused before anything runs if it is no schema', async () => {
    const state = await run({ type: 'nonsense' });
    expect(state.end?.failure?.message).toMatch(/not a JSON Schema/);
    expect(state.tasks.size).toBe(0);
  });
});
