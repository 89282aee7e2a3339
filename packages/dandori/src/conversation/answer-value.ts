import { isApproval } from '../commands/answer-words.ts';
import type { Message } from '../model/conversation.ts';
import { type Json, stringifyJson } from '../model/json.ts';
import type { Option, Question } from '../model/question.ts';
import type { Language } from '../model/text.ts';
import { runTextsIn } from '../views/texts/of-run.ts';
import { answerIn, type GivenAnswer } from './interpret.ts';
import { understoodId } from './state.ts';

interface Reply {
  readonly answer: Json;
  readonly comment?: string | undefined;
  readonly declined?: boolean | undefined;
}

/** An answer given as a value or in words. */
export function readReply(
  { answer, declined }: Reply,
  { question, goal }: { question: Question | undefined; goal: string | undefined },
): GivenAnswer {
  if (declined === true) return { answer: null, declined };
  return typeof answer === 'string' && question !== undefined ? answerIn(answer, question, goal) : { answer };
}

/** What the client is told about the answer. */
export function answerForClient({ label, declined }: GivenAnswer): { chose?: string; declined?: boolean } {
  return { ...(label !== undefined && { chose: label }), ...(declined === true && { declined }) };
}

/** An answer as the user's message: the label of an option, not its value. */
export function answerAsMessage(
  { answer, comment, declined }: Reply,
  options: readonly Option[] = [],
): string {
  const written = stringifyJson(answer);
  const label = options.find(({ value }) => stringifyJson(value) === written)?.label;
  const given = declined === true ? [] : [label ?? (typeof answer === 'string' ? answer : written)];
  return [...given, ...(comment === undefined ? [] : [comment])].join(': ') || '–';
}

/** Tells the user how the words were read, if the words themselves do not. */
export function readingNotice(
  { run, question }: { run: string; question: Question },
  { text, given: { label, declined }, language }: { text: string; given: GivenAnswer; language: Language },
): Message[] {
  const isPlain = isApproval(question) || label?.toLowerCase() === text.toLowerCase();
  if (isPlain || (label === undefined && declined !== true)) return [];
  const { chose, refused } = runTextsIn(language);
  const read = declined === true ? refused : chose(label ?? '');
  const { id } = question;
  return [{ id: understoodId(run, id), role: 'agent', kind: 'understood', text: read, run, question: id }];
}
