import type {
  Difference,
  Forked,
  ForkOptions as Options,
  Replayed,
  RunDiff,
  RunDifference,
} from '../../history/index.ts';
import { DandoriError } from '../../model/error.ts';
import { asText, type Json, normalise, stringifyJson } from '../../model/json.ts';
import { readPlanFile } from '../../plan/read.ts';
import { writeYaml } from '../../plan/write.ts';
import { asTyped, eventNumber } from '../command-line.ts';
import { optionTyped } from '../questions/ask.ts';
import { inItsLines } from '../questions/edit-plan.ts';
import { openSession, type Session, type SessionOptions } from '../session.ts';
import { oneLine, type Style, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { findRun, openWorkplace } from '../workplace.ts';
import { printTasks } from './show.ts';

const MAX_SHOWN = 50;

/** Returns 0 if the replay proves the run, and 1 if an event differs or cannot be proved. */
export async function replay(
  name: string,
  options: { config?: string; json?: boolean; to?: string },
): Promise<number> {
  const to = eventNumber('--to', options.to);
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  const replayed = await dandori.replay(run, to === undefined ? {} : { to });
  const texts = textsFor({ language: dandori.config.language, goal: replayed.report.goal });
  if (options.json === true) process.stdout.write(`${stringifyJson(replayed)}\n`);
  else {
    if (to !== undefined) {
      printTasks(replayed.report, texts);
      process.stdout.write(`${texts.replayed.upTo(replayed.seq, replayed.events)}\n`);
    }
    for (const line of replayLines(replayed, texts)) process.stdout.write(`${line}\n`);
  }
  return replayed.isProved ? 0 : 1;
}

function replayLines(replayed: Replayed, { replayed: texts, more, message }: Texts): string[] {
  const { isProved, seq, derived, differences, unproved } = replayed;
  const style = styleFor(process.stdout);
  if (isProved) return [style.green(texts.proved(seq, derived))];
  const list = (all: readonly Difference[], title: string) => [
    ...(all.length > 0 ? [style.red(title)] : []),
    ...all.slice(0, MAX_SHOWN).map((found) => lineOf({ ...found, message: message(found.message) }, style)),
    ...(all.length > MAX_SHOWN ? [more(all.length - MAX_SHOWN)] : []),
  ];
  return [
    ...list(differences, texts.differs(differences.length)),
    ...list(unproved, texts.unproved(unproved.length)),
  ];
}

function lineOf({ seq, type, message }: Difference, style: Style): string {
  return `${style.dim(String(seq).padStart(4))} ${style.bold(type)} ${oneLine(message, 400)}`;
}

export interface ForkOptions extends SessionOptions {
  readonly at?: string;
  readonly from?: 'start' | 'failed';
  readonly answer?: readonly string[];
  readonly plan?: string | undefined;
  readonly run: boolean;
}

export async function fork(name: string, { at: typed, ...options }: ForkOptions): Promise<number> {
  const at = eventNumber('--at', typed);
  const plan = options.plan === undefined ? undefined : await readPlanFile(options.plan);
  await using session = await openSession(options);
  const { dandori } = session;
  const source = await findRun(name, dandori);
  const wanted: Options = {
    ...(at !== undefined && { at }),
    ...(options.from !== undefined && { from: options.from }),
    answers: await answersIn(options.answer ?? [], source, session),
    ...(plan && { tasks: plan.tasks }),
    ...(options.user !== undefined && { by: options.user }),
  };
  const work = () => dandori.fork(source, wanted);
  const forked = await (plan === undefined ? work() : inItsLines(plan, work));
  const { goal } = await dandori.report(forked.run);
  const texts = textsFor({ language: dandori.config.language, goal });
  if (options.json !== true) for (const line of forkLines(forked, texts)) process.stderr.write(`${line}\n`);
  if (options.run) return await session.follow(forked.run);
  if (options.json === true) process.stdout.write(`${stringifyJson(forked)}\n`);
  else process.stderr.write(`${asTyped(texts.resumeWith(forked.run), options.config)}\n`);
  return 0;
}

/** Reads the values in the same way as `dandori answer`. */
async function answersIn(
  typed: readonly string[],
  run: string,
  { dandori }: Session,
): Promise<Record<string, Json>> {
  const asked = (await dandori.events(run)).flatMap((event) =>
    event.type === 'question_asked' ? [event.data.question] : [],
  );
  return Object.fromEntries(
    typed.map((text) => {
      const [, id, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
      if (id === undefined || value === undefined)
        throw new DandoriError('usage', `--answer takes QUESTION=VALUE, not "${text}".`, {
          fix: 'Write it like --answer q1=approve; `dandori log` shows the questions.',
        });
      return [id, optionTyped(value, asked.find((question) => question.id === id)?.options)];
    }),
  );
}

function forkLines(
  { forkedFrom, settled, later }: Forked,
  { forked: texts, effect: effectText }: Texts,
): string[] {
  const style = styleFor(process.stderr);
  return [
    texts.from(forkedFrom.run, forkedFrom.seq),
    ...(settled.length > 0 ? [texts.settled(settled.join(', '))] : []),
    ...(later.length > 0 ? [style.yellow(texts.later)] : []),
    ...later.map(({ task, operation, effect }) => `  ${task} ${operation} (${effectText(effect)})`),
  ];
}

/** Returns 0 if the runs are equal and 1 if they differ, like diff(1). */
export async function diff(
  [left, right]: readonly [string, string],
  options: { config?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const found = await dandori.diff(await findRun(left, dandori), await findRun(right, dandori));
  const { goal } = await dandori.report(found.left);
  const texts = textsFor({ language: dandori.config.language, goal });
  if (options.json === true) process.stdout.write(`${stringifyJson(found)}\n`);
  else for (const line of diffLines(found, texts)) process.stdout.write(`${line}\n`);
  return found.isSame ? 0 : 1;
}

function diffLines({ left, right, commonSeq, isSame, differences }: RunDiff, texts: Texts): string[] {
  const style = styleFor(process.stdout);
  return [
    `${style.red('-')} ${left}`,
    `${style.green('+')} ${right}`,
    ...(commonSeq === undefined ? [] : [texts.differing.common(commonSeq)]),
    ...differences.flatMap((difference) => differenceLines(difference, texts, style)),
    ...(isSame ? [texts.differing.same] : []),
  ];
}

function differenceLines({ kind, what, left, right }: RunDifference, texts: Texts, style: Style): string[] {
  const name = texts.differing.kinds[kind];
  return [
    style.bold(kind === 'goal' || kind === 'answer' || kind === 'time' ? name : `${name} ${what}`),
    ...(left === undefined ? [] : [style.red(`  - ${shown(left)}`)]),
    ...(right === undefined ? [] : [style.green(`  + ${shown(right)}`)]),
  ];
}

function shown(value: Json): string {
  return oneLine(asText(value), 400);
}

/** The test goes to stdout. Notes for the reader go to stderr, and into the comments of the test. */
export async function record(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config });
  const run = await findRun(name, dandori);
  const recorded = await dandori.record(run);
  const { recorded: texts } = textsFor({ language: dandori.config.language, goal: recorded.case.goal });
  const remarks = [
    ...(recorded.inexact.length > 0 ? [texts.inexact(recorded.inexact.join(', '))] : []),
    ...(recorded.unknown.length > 0 ? [texts.unknown(recorded.unknown.join(', '))] : []),
  ];
  const value = normalise(recorded.case);
  process.stdout.write(
    options.json === true ? `${stringifyJson(value)}\n` : writeYaml(value, [texts.from(run), ...remarks]),
  );
  for (const remark of remarks) process.stderr.write(`${styleFor(process.stderr).yellow('!')} ${remark}\n`);
  return 0;
}
