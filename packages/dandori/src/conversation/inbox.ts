import { createHash } from 'node:crypto';
import { answerQuestion, type GivenAttachment, newId, storeAttachments } from '../commands/index.ts';
import type { Parts } from '../driver/index.ts';
import type { Message } from '../model/conversation.ts';
import { assertNever, DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import type { Language } from '../model/text.ts';
import { fold } from '../run/state/apply.ts';
import type { Keys } from '../store/index.ts';
import { answerIn, type GivenAnswer, type Interpretation, type Why } from './interpret.ts';
import { attachmentsOf, type ConversationState } from './state.ts';

/**
 * How a message was interpreted when it first arrived, and its permanent id. If it started a run, this is the
 * id of the run.
 */
export interface InterpretedMessage extends Pick<Message, 'attachments'> {
  readonly id: string;
  readonly meant: { readonly kind: 'goal' } | Unclear | Answering;
}

/** `about` is missing in messages that an older version received. */
export interface Unclear {
  readonly kind: 'unclear';
  readonly why?: Why;
  readonly about?: readonly { readonly run: string; readonly question: string }[];
}

export interface Answering {
  readonly kind: 'answer';
  readonly run: string;
  readonly question: string;
}

interface IncomingMessage {
  readonly text: string;
  /** Its files, which are stored here. */
  readonly files: readonly GivenAttachment[];
  readonly state: ConversationState | undefined;
  readonly conversation: string;
  readonly key: string | undefined;
  /** How the message would be interpreted now. */
  readonly meant: Interpretation;
}

/**
 * A message with a key is interpreted once. If the client sends it again, now or after a crash, it gets the
 * first interpretation, even if the question that it answered is closed.
 */
export async function interpretOnce(
  { text, files, state, conversation, key, meant }: IncomingMessage,
  {
    keys,
    clock,
    ...parts
  }: Pick<Parts, 'clock' | 'blobs' | 'secrets' | 'storeKey'> & { readonly keys: Keys },
): Promise<InterpretedMessage> {
  const heard: InterpretedMessage = { id: newId(clock.now()), meant: withoutWords(meant) };
  const taken = attachmentsOf(state).map(({ name }) => name);
  const attachments = await storeAttachments(files, parts, taken);
  const stored = attachments.length === 0 ? {} : { attachments };
  if (key === undefined) return { ...heard, ...stored };
  const hashes = attachments.map(({ blob }) => blob.sha256);
  const asked = {
    ...heard,
    request: createHash('sha256')
      .update([text, ...hashes].join('\n'))
      .digest('hex'),
  };
  const held = await keys.hold(`said\n${conversation}\n${key}`, stringifyJson(asked));
  const first = parseJson(held) as typeof asked;
  if (first.request === asked.request) return { ...first, ...stored };
  throw new DandoriError('key-reused', 'This key was used for another message.', {
    fix: 'Use a new key for each new message; send the same key only with the same text.',
  });
}

function withoutWords(meant: Interpretation): InterpretedMessage['meant'] {
  switch (meant.kind) {
    case 'goal':
      return meant;
    case 'unclear':
      return { ...meant, about: meant.about.map(({ run, question }) => ({ run, question: question.id })) };
    case 'answer':
      return { kind: 'answer', run: meant.asked.run, question: meant.asked.question.id };
    default:
      return assertNever(meant);
  }
}

/**
 * A message as the answer to a question. If it is sent again under a key, the answer may exist already; that
 * is not an error.
 */
export async function answerOnce(
  { text, asked, by, message, language, isRepeated }: AnswerMessage,
  parts: Parameters<typeof answerQuestion>[1],
): Promise<GivenAnswer> {
  const { run, question: id } = asked;
  const look = async () => fold(shown(await parts.journal.read(run)));
  const state = await look();
  const question = state?.questions.get(id)?.question;
  const given = question === undefined ? { answer: text } : answerIn(text, question, state?.goal);
  try {
    await answerQuestion({ run, question: id, ...given, by, message, language }, parts);
  } catch (error) {
    const kept = (await look())?.questions.get(id)?.answer;
    const value = given.declined === true ? null : given.answer;
    const isOurs = kept?.by === by && stringifyJson(kept?.value) === stringifyJson(value);
    if (!(isRepeated && isOurs && error instanceof DandoriError)) throw error;
  }
  return given;
}

interface AnswerMessage {
  readonly text: string;
  readonly asked: { readonly run: string; readonly question: string };
  readonly by: string | undefined;
  /** The id of the message. */
  readonly message: string;
  /** The language of the message, if it can be detected. */
  readonly language: Language | undefined;
  readonly isRepeated: boolean;
}
