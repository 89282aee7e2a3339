import type { RecordedRequest } from 'dandori/testing';
import { promptText, tokensOf } from './count.ts';

export interface Part {
  readonly name: string;
  readonly tokens: number;
  readonly bytes: number;
}

/** What a prompt consists of: tools and response format, each section of the instructions, each role of the messages. */
export function partsOf(request: RecordedRequest): Part[] {
  const sizes = new Map<string, { tokens: number; bytes: number }>();
  for (const part of promptText(request).split(SECTIONS)) {
    const name = /^(?:<\|message\|>(.*)|(# .*)|(.).*)/.exec(part)?.slice(1).find(Boolean) ?? '';
    const { tokens, bytes } = sizes.get(name) ?? { tokens: 0, bytes: 0 };
    sizes.set(name, { tokens: tokens + tokensOf(part), bytes: bytes + Buffer.byteLength(part) });
  }
  return [...sizes].map(([name, size]) => ({ name: SENT[name] ?? name, ...size }));
}

const SECTIONS = /\n(?=<\|message\|>|# [A-Z])/;

/** By the first character of what is sent beside the messages. */
const SENT: Readonly<Record<string, string>> = { '[': 'tools', '{': 'response format' };
