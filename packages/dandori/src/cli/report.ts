import type { Report } from '../core/report.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { amountsFor } from './add-budget.ts';
import { answerCommands, hasExpired, questionLines } from './question.ts';
import { printable, styleFor } from './style.ts';
import type { Texts } from './texts.ts';
import { asTyped } from './typed.ts';

export interface Printing {
  readonly texts: Texts;
  readonly json?: boolean;
  /** As the user gave it, for the commands that follow. */
  readonly config?: string;
}

/** The answer goes to stdout, everything about it to stderr, so that a pipe gets the answer alone. */
export function printReport(report: Report, { texts, json, config }: Printing): void {
  if (json === true) {
    process.stdout.write(`${stringifyJson(report)}\n`);
    return;
  }
  const style = styleFor(process.stderr);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  if (report.outcome === 'failed')
    say(`${style.red(texts.failed)}: ${printable(report.failure?.message ?? '')}`);
  if (report.outcome === 'cancelled')
    say(`${style.yellow(texts.cancelled)}: ${printable(report.failure?.message ?? '')}`);
  if (report.outcome === 'exhausted') {
    say(style.yellow(texts.exhausted));
    say(asTyped(texts.howToGoOn(report.run, amountsFor(report.limit)), config));
  }
  if (report.outcome === 'paused') {
    say(`${style.yellow(texts.paused)}${pausedBy(report)}`);
    if (report.questions.length === 0) say(asTyped(texts.resumeWith(report.run), config));
  }
  for (const { task, operation } of report.unstopped ?? []) say(texts.didNotStop(task, printable(operation)));
  if (report.missing !== undefined && report.missing.length > 0) {
    say(`${texts.missing}:`);
    for (const line of report.missing.slice(0, 20)) say(`  - ${printable(line)}`);
    if (report.missing.length > 20) say(`  ${texts.more(report.missing.length - 20)}`);
  }
  if (report.answer !== null) process.stdout.write(`${printable(report.answer)}\n`);
  for (const question of report.questions) {
    for (const line of questionLines(question, texts, style)) say(line);
    for (const line of answerCommands(report.run, question, texts)) say(asTyped(line, config));
  }
  if (report.questions.some((question) => !hasExpired(question)))
    say(asTyped(texts.thenResume(report.run), config));
  if (report.rating !== undefined) say(`${texts.rating}: ${ratingText(report.rating)}`);
  say(style.dim(`run ${report.run}`));
}

function pausedBy({ paused }: Report): string {
  const said = [paused?.reason, paused?.by === undefined ? undefined : `(${paused.by})`];
  const text = said.filter((part) => part !== undefined).join(' ');
  return text === '' ? '' : `: ${printable(text)}`;
}

function ratingText({ rating, comment, by }: NonNullable<Report['rating']>): string {
  const said = [comment, by === undefined ? undefined : `(${by})`].filter((part) => part !== undefined);
  return printable([`${'★'.repeat(rating)}${'☆'.repeat(5 - rating)}`, ...said].join(' '));
}
