import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../../../model/json.ts';
import { LastMade } from '../../last-made.ts';
import type { ModelMessage } from './wire.ts';

/** Bytes at first: the goal and a few turns. */
const FIRST_ROOM = 1024;
const GROWTH = 1.5;

type ToJson = (message: ModelMessage) => string;

/**
 * The bytes of the messages of a conversation. A request repeats the messages of the one before, so each message is
 * serialized and encoded once. Bytes are only ever added, because an earlier request may still be on its way.
 */
class MessageBytes {
  readonly instructions: string;
  readonly #toJson: ToJson;
  readonly #head: Uint8Array;
  #room = Buffer.allocUnsafeSlow(FIRST_ROOM);
  #length = 0;
  #messages: readonly ModelMessage[] = [];

  constructor(instructions: string, toJson: ToJson) {
    this.instructions = instructions;
    this.#toJson = toJson;
    this.#head = headOf(instructions);
  }

  /** Whether these messages, in this form, begin with those that are known. */
  isContinuedBy(messages: readonly ModelMessage[], toJson: ToJson): boolean {
    // A fallback may use another API.
    if (toJson !== this.#toJson) return false;
    if (messages.length < this.#messages.length) return false;
    // Not `every`: a long run has thousands of messages, and almost all are the same objects.
    for (let index = 0; index < this.#messages.length; index++)
      if (!isSame(this.#messages[index], messages[index])) return false;
    return true;
  }

  write(messages: readonly ModelMessage[]): readonly [Uint8Array, Uint8Array] {
    for (const message of messages.slice(this.#messages.length)) this.#add(`,${this.#toJson(message)}`);
    this.#messages = messages;
    return [this.#head, this.#room.subarray(0, this.#length)];
  }

  #add(text: string): void {
    const length = this.#length + Buffer.byteLength(text);
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.ceil(length * GROWTH));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    this.#room.write(text, this.#length);
    this.#length = length;
  }
}

/** A thousand runs with the same instructions share their bytes. */
const heads = new LastMade<Uint8Array>();

function headOf(instructions: string): Uint8Array {
  return heads.from([instructions], () => {
    return Buffer.from(stringifyJson({ role: 'system', content: instructions }));
  });
}

/** Messages of turns that could still change are made again for the next request. Others are the same objects. */
function isSame(one: ModelMessage | undefined, other: ModelMessage | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined || hasFiles(one) || hasFiles(other)) return false;
  return one.role === other.role && isDeepStrictEqual(one.content, other.content);
}

function hasFiles(message: ModelMessage): boolean {
  return message.role === 'user' && (message.files ?? []).length > 0;
}

const kept = new WeakMap<object, MessageBytes>();

/**
 * The instructions, and the messages, as JSON. A comma precedes each message. `conversation`: the same object for
 * all its requests.
 */
export function writeMessages(
  instructions: string,
  messages: readonly ModelMessage[],
  { conversation, toJson }: { readonly conversation: object; readonly toJson: ToJson },
): readonly [Uint8Array, Uint8Array] {
  let bytes = kept.get(conversation);
  if (bytes?.instructions !== instructions || !bytes.isContinuedBy(messages, toJson)) {
    bytes = new MessageBytes(instructions, toJson);
    kept.set(conversation, bytes);
  }
  return bytes.write(messages);
}
