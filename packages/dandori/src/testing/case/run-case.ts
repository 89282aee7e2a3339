import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { createMemoryBlobs } from '../../adapters/blobs/memory.ts';
import { createMemoryJournal } from '../../adapters/journal/memory.ts';
import { createSchemaCheck } from '../../adapters/schema/ajv.ts';
import { type Report, report } from '../../core/report.ts';
import { type RecordedCase, recordedCase } from '../../domain/case.ts';
import type { Settings } from '../../domain/settings.ts';
import type { Tool } from '../../domain/tool.ts';
import { drive } from '../../engine/drive.ts';
import { startRun } from '../../engine/inbox.ts';
import type { Parts } from '../../engine/parts.ts';
import { createStepClock } from '../step-clock.ts';
import { CaseError, differencesOf } from './difference.ts';
import { createCaseMind } from './mind.ts';
import { createCasePeople } from './people.ts';
import { createCaseToolbox } from './toolbox.ts';

export interface CaseOptions {
  /** Settings as they are now, in place of those that the run was started with. */
  readonly settings?: Partial<Settings>;
  /** Tools as they are now; those of the same name take the place of the recorded ones. They are not called. */
  readonly tools?: ReadonlyMap<string, Tool>;
}

/**
 * Runs what `dandori record` has written through the real compiler, scheduler and engine: the mind decides what it
 * decided, tools and people answer what they answered, on a clock that takes no time. Throws a `CaseError` that shows
 * what is different where another call is made, another plan accepted or another answer given.
 */
export async function runCase(source: string | RecordedCase, options: CaseOptions = {}): Promise<Report> {
  const recorded = typeof source === 'string' ? await readCase(source) : source;
  const clock = createStepClock();
  const mind = createCaseMind(recorded, clock);
  const toolbox = createCaseToolbox(recorded, { clock, tools: options.tools });
  const journal = createMemoryJournal();
  const check = createSchemaCheck();
  const house = { journal, blobs: createMemoryBlobs(), clock, toolbox, mind, check };
  const parts: Parts = { ...house, secrets: [], driver: 'case' };
  const { goal, userId, plan } = recorded;
  const settings = { ...recorded.settings, ...options.settings };
  const run = await startRun({ goal, settings, userId, tasks: plan }, parts);
  const people = createCasePeople(recorded.commands, { run, parts, clock });
  await people.listen();
  journal.watch(run, () => void people.listen());
  let state = await clock.runUntil(drive(run, parts));
  while (await people.goOn(state)) state = await clock.runUntil(drive(run, parts));
  const differences = [
    ...mind.problems(),
    ...toolbox.problems(),
    ...people.problems(state),
    ...differencesOf(recorded, state),
  ];
  if (differences.length > 0)
    throw new CaseError(typeof source === 'string' ? source : recorded.goal, differences);
  return report(state);
}

async function readCase(file: string): Promise<RecordedCase> {
  const read = recordedCase.safeParse(parse(await readFile(file, 'utf8')));
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CaseError(file, ['it is no case that `dandori record` has written', ...problems]);
}
