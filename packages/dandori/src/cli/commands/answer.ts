import type { RunClient } from '../../app/index.ts';
import { readAnswer } from '../../commands/index.ts';
import type { RunQuestion } from '../../history/index.ts';
import { DandoriError } from '../../model/error.ts';
import { isUnfinished } from '../../model/event.ts';
import { stringifyJson } from '../../model/json.ts';
import { type AskedQuestion, durationText, type Report } from '../../views/report.ts';
import { runTextsIn } from '../../views/texts/of-run.ts';
import { questionIn } from '../../views/texts/question-text.ts';
import { asTyped } from '../command-line.ts';
import { type Reply, replyTo } from '../questions/ask.ts';
import { answerFrom } from '../questions/parse-answer.ts';
import { answerCommands, questionLines } from '../questions/question.ts';
import { oneLine, printable, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { findRun, openWorkplace } from '../workplace.ts';

export interface AnswerOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly field?: readonly string[];
  readonly decline?: boolean;
  readonly comment?: string;
  readonly user?: string;
}

export async function answer(
  { run: name, words }: { run: string; words: readonly string[] },
  options: AnswerOptions,
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  const report = await dandori.report(run);
  const { goal, questions } = report;
  const texts = textsFor({ language: dandori.config.language, goal });
  const { id, rest } = meant(words, report);
  const asked = questions.find((question) => question.id === id);
  const reply = await replyFrom({ id, text: rest.join(' '), asked }, { options, texts });
  if (reply === undefined) return 0;
  if (reply.kind === 'cancel') {
    await dandori.cancel(run, texts.cancelledAt(asked?.text ?? id), { by: options.user });
  } else await send({ run, id, reply }, dandori, options);
  if (options.json === true) {
    const given = reply.kind === 'answer' ? { answer: reply.value } : { [reply.kind]: true };
    process.stdout.write(`${stringifyJson({ run, question: id, ...given })}\n`);
  } else {
    const noted = reply.kind === 'cancel' ? texts.cancelNoted : texts.answered;
    const read = reply.kind === 'answer' ? readingOf(rest.join(' '), asked, { goal, texts }) : '';
    process.stderr.write(`${read}${noted}\n${asTyped(texts.resumeUndriven(run), options.config)}\n`);
  }
  return 0;
}

/** How the words were read, on a line of its own, if they are not the label itself. */
function readingOf(
  words: string,
  asked: AskedQuestion | undefined,
  { goal, texts: { language } }: { goal: string; texts: Texts },
): string {
  const read = asked === undefined ? undefined : readAnswer(words, questionIn(asked, language), { goal });
  const { chose, refused } = runTextsIn(language);
  if (read?.kind === 'declined') return `${refused}\n`;
  return read?.kind === 'answer' && read.label !== words ? `${printable(chose(read.label))}\n` : '';
}

async function send(
  { run, id, reply }: { run: string; id: string; reply: Exclude<Reply, { kind: 'cancel' }> },
  dandori: RunClient,
  { comment, user: by }: AnswerOptions,
): Promise<void> {
  if (reply.kind === 'answer') await dandori.answer(run, id, reply.value, { comment, by });
  else await dandori.answer(run, id, null, { declined: true, comment: comment ?? reply.comment, by });
}

const ID = /^q\d+$/;

/** The question may be omitted if only one is open. */
function meant(
  words: readonly string[],
  { run, questions, outcome }: Report,
): { id: string; rest: readonly string[] } {
  const [first, ...rest] = words;
  const isNamed = first !== undefined && (ID.test(first) || questions.some(({ id }) => id === first));
  if (isNamed) return { id: first, rest };
  const [only, ...others] = questions;
  if (only !== undefined && others.length === 0) return { id: only.id, rest: words };
  // For an ended run, `answer` throws the error that says so.
  if (only === undefined && !isUnfinished(outcome)) return { id: first ?? '', rest };
  if (only === undefined) {
    throw new DandoriError('question-not-found', `The run ${run} has no open question.`, {
      fix: `See its status with \`dandori show ${run}\`.`,
    });
  }
  throw new DandoriError('question-not-found', `The run ${run} has several open questions.`, {
    fix: `Say which one: ${questions.map(({ id }) => id).join(', ')}.`,
  });
}

interface Wanted {
  readonly id: string;
  readonly text: string;
  /** Undefined if the question is not open. `answer` then throws the error that says why. */
  readonly asked: AskedQuestion | undefined;
}

async function replyFrom(
  { id, text, asked }: Wanted,
  { options, texts }: { options: AnswerOptions; texts: Texts },
): Promise<Reply | undefined> {
  if (options.decline === true) return { kind: 'declined' };
  const fields = options.field ?? [];
  const isGiven = text !== '' || fields.length > 0;
  if (asked === undefined) return { kind: 'answer', value: text };
  if (isGiven) return { kind: 'answer', value: answerFrom({ text, fields }, asked) };
  const canAsk = options.json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (canAsk) return replyTo(asked, { texts });
  throw new DandoriError('usage', 'There is no answer.', {
    fix: `Give one: dandori answer RUN ${id} ANSWER, or --field name=value, or --decline.`,
  });
}

/** Lists the open questions of one run, or of all runs that have not ended. */
export async function questions(
  name: string | undefined,
  options: { config?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = name === undefined ? undefined : await findRun(name, dandori);
  const found = await dandori.questions(run);
  const { language } = dandori.config;
  if (options.json === true) process.stdout.write(`${stringifyJson({ questions: found })}\n`);
  else if (found.length === 0) process.stdout.write(`${textsFor({ language }).noQuestions}\n`);
  else
    for (const own of Map.groupBy(found, ({ run: one }) => one).values()) {
      const texts = textsFor({ language, goal: own[0]?.goal });
      for (const line of linesOf(own, texts, options.config)) process.stdout.write(`${line}\n`);
    }
  return 0;
}

function linesOf(own: readonly RunQuestion[], texts: Texts, config: string | undefined): string[] {
  const style = styleFor(process.stdout);
  const [{ run, goal } = { run: '', goal: '' }] = own;
  return [
    style.bold(`${run}  ${oneLine(goal, 60)}`),
    ...own.flatMap((question) => [
      ...questionLines(question, texts, style),
      style.dim(
        `    ${question.id}  ${texts.askedAgo(durationText(Math.max(0, Date.now() - question.askedAt)))}`,
      ),
      ...answerCommands(run, question, texts).map((line) => `    ${asTyped(line, config)}`),
    ]),
  ];
}
