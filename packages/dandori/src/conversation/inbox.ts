import { createHash } from 'node:crypto';
import { answerQuestion, newId } from '../commands/index.ts';
import type { Parts } from '../driver/index.ts';
import { DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import { fold } from '../run/state/apply.ts';
import type { Keys } from '../store/index.ts';
import { answerIn, type Meant } from './interpret.ts';

/**
 * How a message was interpreted when it first arrived, and its permanent id. If it started a run, this is the
 * id of the run.
 */
interface Heard {
  readonly id: string;
  readonly meant: { readonly kind: 'goal' } | { readonly kind: 'unclear' } | Answering;
}

interface Answering {
  readonly kind: 'answer';
  readonly run: string;
  readonly question: string;
}

interface Saying {
  readonly text: string;
  readonly conversation: string;
  readonly key: string | undefined;
  /** How the message would be interpreted now. */
  readonly meant: Meant;
}

/**
 * A message with a key is interpreted once. If the client sends it again, now or after a crash, it gets the
 * first interpretation, even if the question that it answered is closed.
 */
export async function heardAs(
  { text, conversation, key, meant }: Saying,
  { keys, clock }: Pick<Parts, 'clock'> & { readonly keys: Keys },
): Promise<Heard> {
  const heard: Heard = { id: newId(clock.now()), meant: withoutWords(meant) };
  if (key === undefined) return heard;
  const asked = { ...heard, request: createHash('sha256').update(text).digest('hex') };
  const held = await keys.hold(`said\n${conversation}\n${key}`, stringifyJson(asked));
  const first = parseJson(held) as typeof asked;
  if (first.request === asked.request) return first;
  throw new DandoriError('key-reused', 'Another message was said with this key.', {
    fix: 'Take a new key for each new message; send the same key only with the same words.',
  });
}

function withoutWords(meant: Meant): Heard['meant'] {
  if (meant.kind !== 'answer') return meant;
  const { run, question } = meant.asked;
  return { kind: 'answer', run, question: question.id };
}

/**
 * A message as the answer to a question. If it is sent again under a key, the answer may exist already; that
 * is not an error.
 */
export async function answerOnce(
  { text, asked, by, isRepeated }: GivingOnce,
  parts: Parameters<typeof answerQuestion>[1],
): Promise<void> {
  const { run, question: id } = asked;
  const look = async () => fold(shown(await parts.journal.read(run)))?.questions.get(id);
  const open = await look();
  const answer = open === undefined ? text : answerIn(text, open.question);
  try {
    await answerQuestion({ run, question: id, answer, by }, parts);
  } catch (error) {
    const given = (await look())?.answer;
    const isOurs = given?.by === by && stringifyJson(given?.value) === stringifyJson(answer);
    if (!(isRepeated && isOurs && error instanceof DandoriError)) throw error;
  }
}

interface GivingOnce {
  readonly text: string;
  readonly asked: { readonly run: string; readonly question: string };
  readonly by: string | undefined;
  readonly isRepeated: boolean;
}
