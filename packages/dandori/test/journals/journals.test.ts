import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/files.ts';
import { createJsonlJournal } from '../../src/adapters/journal/jsonl.ts';
import { createSchemaCheck } from '../../src/adapters/schema/ajv.ts';
import { fold } from '../../src/core/apply.ts';
import { blobOf } from '../../src/core/event-blob.ts';
import { brokenLaws } from '../../src/core/laws.ts';
import { report } from '../../src/core/report.ts';
import { factSchema } from '../../src/domain/event.ts';
import { replayRun } from '../../src/engine/replay.ts';

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

function open(name: string) {
  const directory = join(FOLDER, name);
  return { journal: createJsonlJournal(directory), blobs: createFileBlobs(join(directory, 'blobs')) };
}

const ENGINE = join(FOLDER, '../../src/engine');
const engine = readdirSync(ENGINE).map((file) => readFileSync(join(ENGINE, file), 'utf8'));

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
    // Later versions may tell more, and nothing else.
    expect(state === undefined ? undefined : report(state)).toMatchObject(then);
    for (const event of events) {
      const blob = blobOf(event);
      if (blob !== undefined) expect(await blobs.get(blob)).toHaveLength(blob.bytes);
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
