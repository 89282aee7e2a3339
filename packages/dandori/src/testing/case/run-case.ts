import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { createMemoryBlobs } from '../../adapters/blobs/memory.ts';
import { createMemoryJournal } from '../../adapters/journal/memory.ts';
import { createSchemaCheck } from '../../adapters/schema/ajv.ts';
import { type Report, report } from '../../core/report.ts';
import type { RunState } from '../../core/state.ts';
import { type CaseCommand, type RecordedCase, recordedCase } from '../../domain/case.ts';
import type { Settings } from '../../domain/settings.ts';
import type { Tool } from '../../domain/tool.ts';
import { answerQuestion } from '../../engine/answer.ts';
import { drive } from '../../engine/drive.ts';
import { addBudget, startRun } from '../../engine/inbox.ts';
import type { Parts } from '../../engine/parts.ts';
import { createStepClock } from '../step-clock.ts';
import { CaseError, differencesOf } from './difference.ts';
import { createCaseMind } from './mind.ts';
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
  const commands = [...recorded.commands];
  let state = await clock.runUntil(drive(run, parts));
  while (await goOn(state, commands, parts)) state = await clock.runUntil(drive(run, parts));
  const differences = [
    ...mind.problems(),
    ...toolbox.problems(),
    ...commands.map((command) => `never done: ${JSON.stringify(command)}`),
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

/** Does what a person did next, where it fits; false where nothing does. */
async function goOn(state: RunState, commands: CaseCommand[], parts: Parts): Promise<boolean> {
  const { run } = state;
  const budget = commands.find(({ addBudget: amounts }) => amounts !== undefined);
  if (state.end?.outcome === 'exhausted' && budget?.addBudget !== undefined) {
    commands.splice(commands.indexOf(budget), 1);
    await addBudget({ run, ...budget.addBudget }, parts);
    return true;
  }
  if (state.end !== undefined) return false;
  let isAnswered = false;
  for (const { question, answer: given } of state.questions.values()) {
    const index = commands.findIndex(
      ({ answer }) => answer !== undefined && answer.kind === question.kind && answer.task === question.task,
    );
    const answer = commands[index]?.answer;
    if (given !== undefined || answer === undefined) continue;
    commands.splice(index, 1);
    const { value, declined, comment } = answer;
    const [by] = question.answerers ?? [];
    await answerQuestion({ run, question: question.id, answer: value, declined, comment, by }, parts);
    isAnswered = true;
  }
  return isAnswered;
}
