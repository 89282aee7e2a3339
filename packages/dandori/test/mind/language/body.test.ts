import { expect, test } from 'vitest';
import { writeMessages } from '../../../src/mind/language/wire/body.ts';
import type { ModelMessage } from '../../../src/mind/language/wire/wire.ts';

const user = (content: string): ModelMessage => ({ role: 'user', content });
const assistant = (content: string): ModelMessage => ({ role: 'assistant', content });

function writer() {
  const conversation = {};
  const written: ModelMessage[] = [];
  const toJson = (message: ModelMessage) => {
    written.push(message);
    return JSON.stringify(message);
  };
  return {
    written,
    write: (instructions: string, messages: readonly ModelMessage[]) =>
      writeMessages(instructions, messages, { conversation, toJson }),
  };
}

function asList(bytes: Uint8Array): unknown {
  return JSON.parse(`[${Buffer.from(bytes).toString()}]`);
}

test('a long run writes each message once, and every request is whole', () => {
  const { write, written } = writer();
  const messages: ModelMessage[] = [user('段取り')];
  const requests: { bytes: Uint8Array; text: string; count: number }[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const bytes = write('Be brief.', [...messages]);
    requests.push({ bytes, text: Buffer.from(bytes).toString(), count: messages.length });
    messages.push(assistant(`${turn}`), user('ü'.repeat(500)));
  }
  expect(written).toHaveLength(requests.at(-1)?.count ?? 0);
  for (const { bytes, text, count } of requests) {
    // The bytes of an earlier request may still be on their way.
    expect(Buffer.from(bytes).toString()).toBe(text);
    expect(asList(bytes)).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages.slice(0, count)]);
  }
});

test('a request that does not continue the one before is written from the start', () => {
  const { write } = writer();
  const first = [user('goal'), assistant('a'), user('b')];
  write('one', first);
  const shortened = [user('goal, and what was done'), user('b')];
  for (const [instructions, messages] of [
    ['one', shortened],
    ['two', shortened],
    ['two', [user('goal')]],
    ['two', first],
  ] as const)
    expect(asList(write(instructions, messages))).toEqual([
      { role: 'system', content: instructions },
      ...messages,
    ]);
});
