import * as z from 'zod';
import type { Reading } from '../commands/answer-options.ts';
import { isApproval, isBare, readAnswer, refersToOption, takesWords } from '../commands/answer-words.ts';
import type { Message } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import { isAboutStep, type Question } from '../model/question.ts';
import { askedQuestionSchema } from '../views/report.ts';
import type { ConversationState } from './state.ts';

/** An open question of one of the conversation's runs. */
export const askedSchema = z.object({
  run: z.string(),
  goal: z.string(),
  question: askedQuestionSchema,
});
export type Asked = Readonly<z.infer<typeof askedSchema>>;

/**
 * Why a message about a question does not answer it. `several`: it could answer several questions. `came_up`:
 * the question arrived while the user was typing. `talked_over`: another run has asked or suggested something
 * since. The others: see `Reading`.
 */
export const whySchema = z.enum(['several', 'came_up', 'talked_over', 'only_one', 'which', 'clear_yes']);
export type Why = z.infer<typeof whySchema>;

/** How a message is meant: as the answer to one question, as no clear answer, or as a new goal. */
export type Interpretation =
  | { readonly kind: 'answer'; readonly asked: Asked }
  | { readonly kind: 'unclear'; readonly why: Why; readonly about: readonly Asked[] }
  | { readonly kind: 'goal' };

interface MessageContext {
  readonly open: readonly Asked[];
  readonly state: ConversationState | undefined;
  /** Whether a language model would read the message as a goal. It may know what the words refer to. */
  readonly hasModel?: boolean;
  /**
   * The last message that the sender had seen. Undefined if unknown, for example if a program sent the
   * message.
   */
  readonly seen?: string | undefined;
}

/**
 * A "yes" does not answer a question that arrived while the user was typing; that is unclear, and nothing is
 * done. A "yes" also belongs to what was said last: it answers no question if another run has asked or suggested
 * something since.
 */
export function interpret(
  text: string,
  { open, state, hasModel = true, seen }: MessageContext,
): Interpretation {
  const read = open.flatMap((asked) => {
    const reading = readAnswer(text, asked.question, { goal: asked.goal });
    return reading === undefined ? [] : [{ asked, reading }];
  });
  const only = onlyOne(read, { state, seen });
  const first = only ?? read[0];
  if (first !== undefined) {
    const why = only === undefined ? 'several' : unclearness({ ...first, text, open, state, seen });
    if (why === undefined) return { kind: 'answer', asked: first.asked };
    return { kind: 'unclear', why, about: why === 'several' ? open : [first.asked] };
  }
  const referred = hasModel ? [] : open.filter(({ question }) => refersToOption(text, question));
  if (referred.length > 0) return { kind: 'unclear', why: 'which', about: referred };
  const [asked] = open;
  const isOnly = open.length === 1 && asked !== undefined && isSeen(asked, state, seen);
  const isNext = isOnly && takesWords(asked.question) && isLast(asked, state) && !/[?？]\s*$/.test(text);
  return isNext ? { kind: 'answer', asked } : { kind: 'goal' };
}

interface PossibleAnswer {
  readonly asked: Asked;
  readonly reading: Reading;
}

/**
 * The one question that the words can be meant for. If they fit several, it is a yes or no to the approval that
 * was asked last, or to the active plan. A yes counts only if the user has turned away from the others: they
 * were asked before the user's last message.
 */
function onlyOne(
  read: readonly PossibleAnswer[],
  { state, seen }: Pick<MessageContext, 'state' | 'seen'>,
): PossibleAnswer | undefined {
  if (read.length <= 1) return read[0];
  const approvals = read.filter(({ asked }) => isApproval(asked.question));
  const last = approvals.find(({ asked }) => isLast(asked, state));
  const meant = last ?? approvals.find(({ asked }) => isOfActivePlan(asked, state));
  if (meant === undefined || meant.reading.kind === 'open') return undefined;
  const isNo = meant.reading.kind === 'declined' || meant.reading.value === 'reject';
  // Without `seen`, the last question may have arrived while the user was typing.
  const isKnown = last === undefined || seen !== undefined;
  const others = read.filter((one) => one !== meant);
  const isLeft = ({ asked, reading }: PossibleAnswer) =>
    reading.kind === 'open' || (isKnown && isBeforeLastWords(asked, state));
  return isNo || others.every(isLeft) ? meant : undefined;
}

/** Whether it asks to approve the plan that the user works on, or to go on with its next step. */
function isOfActivePlan({ run, question }: Asked, state: ConversationState | undefined): boolean {
  return run === state?.activePlan && (question.kind === 'plan_approval' || isAboutStep(question));
}

/** Whether the user has said something since the question was asked. */
function isBeforeLastWords(asked: Asked, state: ConversationState | undefined): boolean {
  const messages = [...(state?.messages.values() ?? [])];
  return placeOf(asked, messages) < messages.findLastIndex(({ role }) => role === 'user');
}

/** Whether a model may read the answer in a message. Only the user's own yes approves or settles a call. */
export function canBeRead({ kind }: Pick<Question, 'kind'>): boolean {
  return kind === 'ambiguity' || kind === 'missing_input' || kind === 'elicitation';
}

/** What a message gives as the answer to a question. */
export interface GivenAnswer {
  readonly answer: Json;
  readonly declined?: boolean;
  /** The option that was chosen, as the user knows it. */
  readonly label?: string;
}

/** The message, read as the answer to this question. */
export function answerIn(text: string, question: Question, goal?: string): GivenAnswer {
  const read = readAnswer(text, question, { goal });
  if (read?.kind === 'answer') return { answer: read.value, label: read.label };
  return read?.kind === 'declined' ? { answer: null, declined: true } : { answer: text };
}

type Understood = Omit<MessageContext, 'hasModel'> & PossibleAnswer & { readonly text: string };

function unclearness({ text, asked, reading, open, state, seen }: Understood): Why | undefined {
  if (!isSeen(asked, state, seen)) return 'came_up';
  const isBareOrApproves = isBare(text) || (asked.question.kind === 'approval' && reading.kind === 'answer');
  if (isBareOrApproves && isTalkedOver({ asked, state, seen })) return 'talked_over';
  if (reading.kind === 'open') return reading.why;
  const others = open.filter((one) => one !== asked);
  // The words may be meant for the question that takes any words.
  if (others.some((other) => takesWords(other.question) && isLast(other, state))) return 'several';
  const approves = isApproval(asked.question) && reading.kind === 'answer' && reading.value !== 'reject';
  const isMeant = others.length === 0 || isLast(asked, state) || isOfActivePlan(asked, state);
  return approves && !isMeant ? 'several' : undefined;
}

function isSeen(asked: Asked, state: ConversationState | undefined, seen: string | undefined): boolean {
  if (seen === undefined) return true;
  const messages = [...(state?.messages.values() ?? [])];
  const place = placeOf(asked, messages);
  return place >= 0 && place <= messages.findIndex(({ id }) => id === seen);
}

const ASKS_FOR_YES = /[?？]|\b(yes|ok|okay|approve|confirm|reply|type)\b|はい|承認|返信|返事|入力|了解/i;

/**
 * Whether another run has asked or suggested something since the question was put to the user. A reminder puts it
 * again. It does not for the approval of a call: text that the other run has read may have caused what it asks.
 */
function isTalkedOver({ asked, state, seen }: Pick<Understood, 'asked' | 'state' | 'seen'>): boolean {
  const messages = [...(state?.messages.values() ?? [])];
  const end = seen === undefined ? messages.length : messages.findIndex(({ id }) => id === seen) + 1;
  const shown = messages.slice(0, end);
  const isOfCall = asked.question.kind === 'approval' && !isAboutStep(asked.question);
  const reminded = isOfCall ? -1 : shown.findLastIndex(({ kind }) => kind === 'reminder');
  const place = placeOf(asked, shown);
  return place >= 0 && shown.slice(Math.max(place, reminded) + 1).some((one) => asksOther(one, asked));
}

/** The runtime names the next step in its own reports. That suggests nothing. */
function asksOther({ kind, run, text, next, byMind }: Message, asked: Asked): boolean {
  if ((kind !== 'reply' && kind !== 'report') || run === asked.run) return false;
  return ASKS_FOR_YES.test(text) || (next !== undefined && byMind !== false);
}

function placeOf({ run, question: { id } }: Asked, messages: readonly Message[]): number {
  return messages.findLastIndex(
    (message) => message.kind === 'question' && message.run === run && message.question === id,
  );
}

/**
 * Whether the question is the last message. Then the next message is its answer, unless that is a question
 * itself.
 */
function isLast({ run, question }: Asked, state: ConversationState | undefined): boolean {
  const last = [...(state?.messages.values() ?? [])].at(-1);
  return last?.kind === 'question' && last.run === run && last.question === question.id;
}
