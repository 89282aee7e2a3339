import { fieldsOf } from '../../core/form-field.ts';
import { isApproval } from '../../core/plain-answer.ts';
import type { AskedQuestion } from '../../core/report.ts';
import type { Message } from '../../domain/conversation.ts';
import { estimate } from '../../domain/estimate.ts';
import type { Question } from '../../domain/question.ts';
import { estimateLines } from '../estimate.ts';
import { questionLines } from '../question.ts';
import { oneLine, printable, type Style } from '../style.ts';
import type { Texts } from '../texts.ts';

export interface Wording {
  readonly texts: Texts;
  readonly style: Style;
}

/** The last part of a run's id is enough for people, and for every command. */
export function shortName(run: string): string {
  return run.slice(run.lastIndexOf('-') + 1);
}

/** What the agent says, with a mark in front that says of what kind it is. */
export function messageText(message: Message, { texts, style }: Wording): string {
  const head = headOf(message, { texts, style });
  // The words of a cancelled run are the reason that a person gave.
  const said = message.outcome === 'cancelled' ? `${texts.cancelled}: ${message.text}` : message.text;
  return [...head, indented(markOf(message, style), printable(said)), ...causeLines(message, style)].join(
    '\n',
  );
}

/** Who reads that something failed should read why, whether or not the mind has said so. */
function causeLines({ text, causes = [] }: Message, style: Style): string[] {
  const unsaid = causes.filter((cause) => !text.includes(cause.replace(/^\S+ \(\S+\): /, '')));
  return unsaid.map((cause) => `  ${style.red('✗')} ${style.dim(oneLine(cause, LONGEST_CAUSE))}`);
}

const LONGEST_CAUSE = 300;

/** A question with all that a person must know to answer, and how to. */
export function questionText(
  { run, question, name, text }: { run: string; question: AskedQuestion; name: string; text: string },
  { texts, style }: Wording,
): string {
  const how = isApproval(question)
    ? [texts.chat.yesOrNo, ...(question.kind === 'plan_approval' ? [texts.chat.orSay] : [])].join(' · ')
    : '';
  const hint = [how, texts.chat.answerWith(name, fieldsTyped(question))]
    .filter((part) => part !== '')
    .join(' · ');
  return [
    style.dim(`  ${shortName(run)} · ${texts.chat.question(question.id)}`),
    ...(question.kind === 'plan_approval'
      ? planQuestionLines(question, text, { texts, style })
      : questionLines(question, texts, style)),
    style.dim(`    ${hint}`),
  ].join('\n');
}

/** What is typed for a form. */
function fieldsTyped({ form }: Question): string {
  const fields = form === undefined ? undefined : fieldsOf(form);
  const wanted = fields?.filter(({ isRequired }) => isRequired) ?? [];
  return (wanted.length > 0 ? wanted : (fields ?? [])).map(({ name }) => `${name}=…`).join(' ');
}

/** The steps in words and what they will take, where `dandori show` has every task. */
function planQuestionLines({ context }: Question, text: string, { texts, style }: Wording): string[] {
  const about =
    typeof context === 'object' && context !== null && !Array.isArray(context) ? context.plan : undefined;
  const read = estimate.safeParse(about);
  const lines = read.success ? estimateLines(read.data, texts) : [];
  return [
    indented(style.yellow('?'), printable(text)),
    ...lines.map((line) => style.dim(`    ${printable(line)}`)),
  ];
}

export function userText(text: string, { texts, style }: Wording): string {
  return indented(style.cyan(texts.chat.prompt), printable(text));
}

/** Marks stand out to the left; what follows is in line with the first letter. */
export function indented(mark: string, text: string): string {
  return `${mark} ${text.replaceAll('\n', '\n  ')}`;
}

export function markOf({ kind, outcome }: Pick<Message, 'kind' | 'outcome'>, style: Style): string {
  const paint =
    outcome === 'answered' || outcome === 'completed'
      ? style.green
      : outcome === 'failed'
        ? style.red
        : style.yellow;
  return paint(kind === 'report' ? '◆' : kind === 'question' ? '?' : '●');
}

/** Of a run with tasks: which, how far, how many. An answer without tools speaks for itself. */
function headOf({ run, step, tally }: Message, { texts, style }: Wording): string[] {
  if (tally === undefined || run === undefined) return [];
  const parts = [
    shortName(run),
    ...(step === undefined ? [] : [texts.chat.step(oneLine(step, 40))]),
    ...(tally.steps === undefined ? [] : [texts.stepsDone(tally.steps.done, tally.steps.total)]),
    texts.chat.tasksDone(tally.done, tally.total),
    ...(tally.failed > 0 ? [texts.chat.tasksFailed(tally.failed)] : []),
  ];
  return [style.dim(`  ${parts.join(' · ')}`)];
}
