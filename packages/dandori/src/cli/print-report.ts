import { milliseconds } from '../documents/field.ts';
import type { Limit } from '../model/decision.ts';
import { DandoriError } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import type { Estimate } from '../model/plan.ts';
import { pathText } from '../model/text.ts';
import { durationText, type Report } from '../views/report.ts';
import { asTyped } from './command-line.ts';
import { renderMarkdown } from './markdown.ts';
import { answerCommands, hasExpired, questionLines } from './questions/question.ts';
import { printable, type Style, styleFor } from './style.ts';
import type { Texts } from './texts.ts';

interface Printing {
  readonly texts: Texts;
  readonly json?: boolean;
  /** The `--config` that the user gave, for the commands that the report suggests. */
  readonly config?: string;
}

/** The answer goes to stdout and everything else to stderr, so that a pipe gets only the answer. */
export function printReport(report: Report, { texts, json, config }: Printing): void {
  if (json === true) {
    process.stdout.write(`${stringifyJson(report)}\n`);
    return;
  }
  const style = styleFor(process.stderr);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const isFailed = report.outcome === 'failed';
  if (isFailed) {
    const failed = style.red(texts.words.statuses.failed);
    const { message = '' } = report.failure ?? {};
    // The answer often contains the message already.
    const isSaid = message !== '' && report.answer?.includes(message) === true;
    say(isSaid ? failed : texts.labelled(failed, printable(texts.message(message))));
    printAnswer(report);
  }
  if (report.outcome === 'cancelled')
    say(
      texts.labelled(
        style.yellow(texts.words.statuses.cancelled),
        printable(texts.message(report.failure?.message ?? '')),
      ),
    );
  if (report.outcome === 'exhausted') {
    say(style.yellow(texts.words.statuses.exhausted));
    say(asTyped(texts.howToGoOn(report.run, amountsFor(report.limit)), config));
  }
  if (report.outcome === 'paused') {
    const paused = style.yellow(texts.words.statuses.paused);
    const reason = pausedBy(report);
    say(reason === '' ? paused : texts.labelled(paused, reason));
    if (report.questions.length === 0) say(asTyped(texts.resumeWith(report.run), config));
  }
  if (isFailed) for (const line of nextSteps(report, texts)) say(asTyped(line, config));
  for (const { task, operation } of report.unstopped ?? []) say(texts.didNotStop(task, printable(operation)));
  if (report.missing !== undefined && report.missing.length > 0) {
    say(texts.labelled(texts.missing));
    for (const line of report.missing.slice(0, 20)) say(`  - ${printable(line)}`);
    if (report.missing.length > 20) say(`  ${texts.more(report.missing.length - 20)}`);
  }
  if (!isFailed) printAnswer(report);
  for (const question of report.questions) {
    for (const line of questionLines(question, texts, style)) say(line);
    for (const line of answerCommands(report.run, question, texts)) say(asTyped(line, config));
  }
  if (report.questions.some((question) => !hasExpired(question)))
    say(asTyped(texts.resumeWith(report.run), config));
  if (report.rating !== undefined) say(texts.labelled(texts.rating, ratingText(report.rating)));
  say(style.dim(`${texts.runId(report.run)} · ${usedText(report.usage, texts)}`));
}

/** A user who asked for a value by a schema gets the value, not a sentence about it. */
function printAnswer({ answer, output }: Report): void {
  if (output !== undefined) {
    const text = process.stdout.isTTY ? printable(stringifyJson(output, 2)) : stringifyJson(output);
    process.stdout.write(`${text}\n`);
  } else if (answer !== null) process.stdout.write(`${answerText(answer)}\n`);
}

/** A pipe gets the answer as it is. */
function answerText(answer: string): string {
  const isPlain = process.stdout.isTTY !== true || process.env.NO_COLOR !== undefined;
  return isPlain ? printable(answer) : renderMarkdown(answer, styleFor(process.stdout));
}

/** What a run used: time, model calls, tokens and cost. */
export function usedText(
  { ms, modelCalls, inputTokens, outputTokens, estimated, cost }: Report['usage'],
  texts: Texts,
): string {
  return texts.used({
    time: durationText(ms),
    calls: modelCalls,
    tokens: inputTokens + outputTokens,
    isEstimated: estimated === true,
    cost: cost === undefined ? undefined : `$${cost < 0.01 ? Number(cost.toPrecision(2)) : cost.toFixed(2)}`,
  });
}

/** What the user can do about a failed run. A model's error says nothing about the goal. */
function nextSteps({ run, failure, tasks, next }: Report, { again }: Texts): string[] {
  const hasTasks = Object.keys(tasks).length > 0;
  return [
    ...(failure?.kind === 'model_error' ? [again.modelFailed] : []),
    ...(next === undefined ? [] : [again.whole(run)]),
    ...(hasTasks ? [again.changed(run), again.failed(run)] : []),
  ];
}

function pausedBy({ paused }: Report): string {
  const said = [paused?.reason, paused?.by === undefined ? undefined : `(${paused.by})`];
  const text = said.filter((part) => part !== undefined).join(' ');
  return printable(text);
}

function ratingText({ rating, comment, by }: NonNullable<Report['rating']>): string {
  const said = [comment, by === undefined ? undefined : `(${by})`].filter((part) => part !== undefined);
  return printable([`${'★'.repeat(rating)}${'☆'.repeat(5 - rating)}`, ...said].join(' '));
}

/** What a plan will cost, so that the user can decide before the first call. */
export function estimateLines(estimate: Estimate, texts: Texts, style?: Style): string[] {
  const {
    calls,
    reads,
    writes,
    open = [],
    irreversible,
    criticalPath,
    expectedMs,
    worstMs,
    cost,
    worstCost,
  } = estimate;
  const red = style?.red ?? ((text: string) => text);
  const times = [
    ...(expectedMs === undefined ? [] : [texts.expected(durationText(expectedMs))]),
    ...(worstMs === undefined ? [] : [texts.atWorst(durationText(worstMs))]),
  ];
  return [
    ...(calls > 0 || open.length === 0 ? [texts.calls(calls, reads, writes)] : []),
    ...(open.length > 0 ? [texts.leftOpen(pathText(open, ', '))] : []),
    ...(irreversible.length > 0 ? [red(texts.irreversible(pathText(irreversible, ', ')))] : []),
    ...(criticalPath.length > 1 ? [texts.longestPath(pathText(criticalPath, ' → '))] : []),
    ...(times.length > 0 ? [texts.time(times.join(texts.comma))] : []),
    ...(worstCost > 0 ? [texts.cost(`$${cost}`, `$${worstCost}`)] : []),
  ];
}

type Amounts = FactOf<'budget_added'>['data'];

const COUNTS = ['steps', 'calls', 'tasks', 'tokens', 'revisions'] as const;
const EXAMPLE = 'such as steps=5,calls=10,tokens=50000,tasks=20,revisions=2,cost=0.5,time=10m';

/** The amount to add for each limit, so that a run that reached it can continue. */
const ENOUGH: Readonly<Record<Limit, string>> = {
  steps: 'steps=5,calls=10',
  calls: 'calls=10',
  tasks: 'tasks=20',
  tokens: 'tokens=50000',
  cost: 'cost=1',
  time: 'time=10m',
  revisions: 'revisions=2',
  // Any increase lets the mind try once more.
  loop: 'steps=5',
};

/** Old journals do not record which limit was reached. */
function amountsFor(limit: Limit = 'steps'): string {
  return ENOUGH[limit];
}

/** Parses the value of `--raise`, such as `steps=5,time=10m`. */
export function readAmounts(text: string): Amounts {
  const amounts: Amounts = {};
  for (const part of text.split(/[,\s]+/).filter((one) => one !== '')) {
    const [name = '', value = ''] = part.split('=');
    Object.assign(amounts, { [name]: amountOf(name, value) });
  }
  if (Object.keys(amounts).length === 0) throw refusal(`there is nothing in "${text}"`);
  return amounts;
}

function amountOf(name: string, value: string): number {
  if (name === 'time') {
    const ms = milliseconds(/^[\d.]+$/.test(value) ? Number(value) : value);
    if (ms === undefined || ms <= 0) throw refusal(`"${value}" is not a duration`);
    return ms;
  }
  const isCount = (COUNTS as readonly string[]).includes(name);
  if (!isCount && name !== 'cost') throw refusal(`there is no limit "${name}"`);
  const number = Number(value);
  const isRight =
    value !== '' && number > 0 && Number.isFinite(number) && (!isCount || Number.isInteger(number));
  if (!isRight) throw refusal(`"${value}" is not an amount of ${name}`);
  return number;
}

function refusal(problem: string): DandoriError {
  return new DandoriError('usage', `--raise: ${problem}.`, { fix: `Write amounts, ${EXAMPLE}.` });
}
