import { createHash } from 'node:crypto';
import { answerQuestion } from '../commands/answer.ts';
import { newId } from '../commands/start.ts';
import type { Parts } from '../driver/parts.ts';
import { DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import { fold } from '../run/state/apply.ts';
import type { Keys } from '../store/blobs.ts';
import { answerIn, type Meant } from './interpret.ts';

/** How a message was taken when it came first, and the id that it has for good: that of its run, where it began one. */
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
  /** How it would be taken now. */
  readonly meant: Meant;
}

/**
 * Under a key a message is taken once: who sends it again, now or after a crash, is heard as the first time, though the
 * question that it answered is open no more.
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

/** Words as the answer to a question. Said again under a key, they may have been given before; then all is well. */
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
