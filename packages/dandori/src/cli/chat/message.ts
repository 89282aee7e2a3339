import { isApproval } from '../../commands/index.ts';
import type { Message } from '../../model/conversation.ts';
import { planAbout, type Question } from '../../model/question.ts';
import { fieldsOf } from '../../views/form.ts';
import type { AskedQuestion } from '../../views/report.ts';
import { questionTextIn } from '../../views/texts/question-text.ts';
import { trustLines } from '../../views/trust.ts';
import { estimateLines } from '../print-report.ts';
import { aimLines, limitLines, questionLines } from '../questions/question.ts';
import { oneLine, printable, type Style } from '../style.ts';
import type { Texts } from '../texts.ts';

export interface Wording {
  readonly texts: Texts;
  readonly style: Style;
}

/** The last characters of a run id. Every command accepts them. */
export function shortName(run: string): string {
  return run.slice(-4);
}

/** A message of the agent, after a mark that shows its kind. */
export function messageText(message: Message, { texts, style }: Wording): string {
  const head = headOf(message, { texts, style });
  // The text of a cancelled run is the reason that the user gave.
  const said =
    message.outcome === 'cancelled'
      ? texts.labelled(texts.words.statuses.cancelled, message.text)
      : message.text;
  return [
    ...head,
    indented(markOf(message, style), printable(said)),
    ...linesBelow(message, { texts, style }),
  ].join('\n');
}

/** What a message says besides its text. */
export function linesBelow(message: Message, wording: Wording): string[] {
  return [...causeLines(message, wording.style), ...nextLines(message, wording)];
}

/** What is recommended next, and what `/next` would say. */
function nextLines({ next, kind }: Message, { texts, style }: Wording): string[] {
  if (next === undefined || kind === 'report') return [];
  const { text, goal = text } = next;
  const hint =
    goal === text ? texts.chat.nextHint : `${texts.chat.nextHint}: ${oneLine(goal, LONGEST_CAUSE)}`;
  return [style.dim(`  → ${printable(texts.chat.next(text))} (${printable(hint)})`)];
}

/** Lists the causes of a failure that the message itself does not mention. */
function causeLines({ text, causes = [] }: Message, style: Style): string[] {
  const unsaid = causes.filter((cause) => !text.includes(cause.replace(/^\S+ \(\S+\): /, '')));
  return unsaid.map((cause) => `  ${style.red('✗')} ${style.dim(oneLine(cause, LONGEST_CAUSE))}`);
}

const LONGEST_CAUSE = 300;

/** A question with everything that the user needs to answer it. */
export function questionText(
  { run, question, name, text }: { run: string; question: AskedQuestion; name: string; text: string },
  { texts, style }: Wording,
): string {
  const how = isApproval(question)
    ? [texts.chat.yesOrNo, ...(question.kind === 'plan_approval' ? [texts.chat.orSay] : [])].join(' · ')
    : (question.options ?? []).length > 0
      ? texts.chat.numberOrWords
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

/** The form's fields as the user types them. */
function fieldsTyped({ form }: Question): string {
  const fields = form === undefined ? undefined : fieldsOf(form);
  const wanted = fields?.filter(({ isRequired }) => isRequired) ?? [];
  return (wanted.length > 0 ? wanted : (fields ?? [])).map(({ name }) => `${name}=…`).join(' ');
}

/** The steps in words, what they are for, the estimate and the limits. `dandori show` lists every task. */
function planQuestionLines({ context }: Question, text: string, { texts, style }: Wording): string[] {
  const about = planAbout.safeParse(context).data;
  const origins = (about?.tasks ?? []).flatMap(({ id, operation, trust }) =>
    trust === undefined ? [] : [`${id} ${operation}`, ...trustLines(trust, texts.words)],
  );
  const lines =
    about === undefined
      ? []
      : [
          ...aimLines(about, texts),
          ...origins,
          ...estimateLines(about.plan, texts),
          ...limitLines(about, texts),
        ];
  return [
    indented(style.yellow('?'), printable(questionTextIn(text, texts.language))),
    ...lines.map((line) => style.dim(`    ${printable(line)}`)),
  ];
}

export function userText(text: string, { texts, style }: Wording): string {
  return indented(style.cyan(texts.chat.prompt), printable(text));
}

/** The mark stands to the left, and all lines of the text are aligned. */
function indented(mark: string, text: string): string {
  return `${mark} ${text.replaceAll('\n', '\n  ')}`;
}

function markOf({ kind, outcome }: Pick<Message, 'kind' | 'outcome'>, style: Style): string {
  const paint =
    outcome === 'answered' || outcome === 'completed'
      ? style.green
      : outcome === 'failed'
        ? style.red
        : style.yellow;
  return paint(kind === 'report' ? '◆' : kind === 'question' ? '?' : '●');
}

/** For a run with tasks: its name, its step, and its progress. An answer without tasks needs no heading. */
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

const FENCE = '"""';

/**
 * Joins lines into messages. A line that ends with a backslash continues, and so does everything between """
 * and """.
 */
interface Paragraph {
  /** The message that this line completes, or undefined if it continues. */
  take(line: string): string | undefined;
  /** The unfinished message, or an empty string. */
  rest(): string;
  readonly isOpen: boolean;
}

export function createParagraph(): Paragraph {
  let lines: string[] = [];
  let isFenced = false;

  function end(): string {
    const text = lines.join('\n');
    lines = [];
    isFenced = false;
    return text;
  }

  function inFence(line: string): string | undefined {
    const at = line.indexOf(FENCE);
    lines.push(at < 0 ? line : line.slice(0, at));
    if (at < 0) return undefined;
    if (lines.at(-1)?.trim() === '') lines.pop();
    return end();
  }

  return {
    take(line) {
      if (isFenced) return inFence(line);
      if (lines.length === 0 && line.trimStart().startsWith(FENCE)) {
        isFenced = true;
        const first = line.trimStart().slice(FENCE.length);
        return first === '' ? undefined : inFence(first);
      }
      if (line.endsWith('\\')) {
        lines.push(line.slice(0, -1));
        return undefined;
      }
      lines.push(line);
      return end();
    },
    rest: end,
    get isOpen() {
      return isFenced || lines.length > 0;
    },
  };
}
