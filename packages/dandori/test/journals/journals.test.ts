import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replayRun } from '../../src/history/replay.ts';
import { factSchema } from '../../src/model/event.ts';
import { blobsOf } from '../../src/model/event-kinds.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { fold } from '../../src/run/state/apply.ts';
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
