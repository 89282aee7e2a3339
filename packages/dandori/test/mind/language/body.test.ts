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

function asText(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}

function asList(pieces: readonly Uint8Array[]): unknown {
  return JSON.parse(`[${asText(pieces)}]`);
}

test('a long run writes each message once, and every request is whole', () => {
  const { write, written } = writer();
  const messages: ModelMessage[] = [user('段取り')];
  const requests: { pieces: readonly Uint8Array[]; text: string; count: number }[] = [];
  for (let turn = 0; turn < 40; turn++) {
    const pieces = write('Be brief.', [...messages]);
    requests.push({ pieces, text: asText(pieces), count: messages.length });
    messages.push(assistant(`${turn}`), user('ü'.repeat(500)));
  }
  expect(written).toHaveLength(requests.at(-1)?.count ?? 0);
  for (const { pieces, text, count } of requests) {
    // The bytes of an earlier request may still be on their way.
    expect(asText(pieces)).toBe(text);
    expect(asList(pieces)).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages.slice(0, count)]);
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

test('a thousand waiting runs hold the bytes of their instructions once', () => {
  const instructions = 'Be brief.';
  const [first] = writer().write(instructions, [user('goal')]);
  const [second] = writer().write(instructions, [user('another goal')]);
  expect(second).toBe(first);
});
