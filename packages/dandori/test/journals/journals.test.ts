import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayRun } from '../../src/history/replay.ts';
import { jsonDialect } from '../../src/mind/language/dialects/json.ts';
import { toolsDialect } from '../../src/mind/language/dialects/native.ts';
import { factSchema } from '../../src/model/event.ts';
import { blobsOf } from '../../src/model/event-kinds.ts';
import { shown } from '../../src/model/redact.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { apply, fold } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createFileBlobs } from '../../src/store/files/blobs.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { report } from '../../src/views/report.ts';
import { structureOf } from './golden.ts';

const FOLDER = import.meta.dirname;
const { version } = JSON.parse(readFileSync(join(FOLDER, '../../package.json'), 'utf8'));
const versions = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const journals = versions.flatMap((name) =>
  readdirSync(join(FOLDER, name))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => [name, file.slice(0, -'.jsonl'.length)] as const),
);

/** What a resumed run is asked with, except for its tools. */
function thoughtOf(state: RunState) {
  return {
    state,
    tools: new Map(),
    missing: [],
    resultText: (task: string) => `of ${task}`,
    result: () => undefined,
  };
}

function open(name: string) {
  const directory = join(FOLDER, name);
  return { journal: createJsonlJournal(directory), blobs: createFileBlobs(join(directory, 'blobs')) };
}

const SOURCE = join(FOLDER, '../../src');
const engine = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(driver|commands|history|run\/actions)\/.*\.ts$/.test(file))
  .map((file) => readFileSync(join(SOURCE, file), 'utf8'));

/** A fact that nothing writes yet has no journal to stand in. */
function isWritten(kind: string): boolean {
  return engine.some((text) => text.includes(`type: '${kind}'`));
}

describe('journals of every version', () => {
  it.each(journals)('of %s: %s is read, keeps the laws, and tells the same as then', async (name, run) => {
    const { journal, blobs } = open(name);
    const events = await journal.read(run);
    expect(brokenLaws(events)).toEqual([]);
    const state = fold(events);
    const then = JSON.parse(readFileSync(join(FOLDER, name, `${run}.report.json`), 'utf8'));
    // Later versions may report more, and word it differently.
    const now = state === undefined ? null : structureOf(report(state));
    expect(now).toMatchObject(structureOf(then) as object);
    for (const event of events) {
      for (const blob of blobsOf(event)) expect(await blobs.get(blob)).toHaveLength(blob.bytes);
    }
  });

  it.each(journals)('of %s: %s can be continued, with prompts that only grow', async (name, run) => {
    const events = await open(name).journal.read(run);
    for (const dialect of [jsonDialect, toolsDialect]) {
      let state: RunState | undefined;
      let before: readonly unknown[] = [];
      for (const event of events) {
        if (event.type === 'decision_started' && state !== undefined) {
          const { purpose, brief, offer } = event.data;
          const { messages } = dialect.write({ ...thoughtOf(state), purpose, brief, offer });
          expect(JSON.stringify(messages)).toContain(JSON.stringify(shown(state.goal)).slice(1, -1));
          // The last message may get another paragraph.
          expect(messages.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
          before = messages;
          state = apply(state, event);
          // The same from the turns that are kept as from the state alone.
          const thought = { ...thoughtOf(state), purpose, brief, offer };
          const { messages: sent } = dialect.write(thought);
          expect(sent).toEqual(dialect.write({ ...thought, state: { ...state } }).messages);
          continue;
        }
        state = apply(state, event);
      }
    }
  });

  it('are there for this version, with every kind of fact in them (npm run journals)', async () => {
    expect(versions).toContain(version);
    const found = new Set<string>();
    for (const [, run] of journals.filter(([name]) => name === version)) {
      const { journal, blobs } = open(version);
      for (const { type } of await journal.read(run)) found.add(type);
      const replayed = await replayRun(run, {}, { journal, blobs, check: createSchemaCheck() });
      expect(replayed.differences, run).toEqual([]);
      expect(replayed.unproved, run).toEqual([]);
    }
    const kinds = factSchema.options.map(({ shape }) => shape.type.value).filter(isWritten);
    expect(kinds.filter((kind) => !found.has(kind))).toEqual([]);
  });
});
