import type { Answer, AnswerItem } from './answer.ts';

/** A run of characters that goes out as one event of a stream. */
export interface Piece {
  readonly item: AnswerItem;
  readonly itemIndex: number;
  readonly text: string;
  /** The item starts with this piece. */
  readonly first: boolean;
  /** The item is complete after this piece. */
  readonly last: boolean;
}

/** Splits an answer in pieces, and stops after `limit` characters. Reasoning does not count. */
export function* splitAnswer(answer: Answer, chunkSize: number, limit: number): Generator<Piece> {
  const step = Math.max(1, chunkSize);
  let left = limit;
  for (const [itemIndex, item] of answer.items.entries()) {
    // Code points, as no real model sends half of an emoji.
    const characters = Array.from(item.text);
    const end = item.kind === 'reasoning' ? characters.length : Math.min(characters.length, left);
    if (item.kind !== 'reasoning') left -= end;
    const whole = end === characters.length;
    // An item without characters still has one piece, so that its start and its end are told.
    for (let start = 0; start < Math.max(end, 1); start += step) {
      const next = Math.min(start + step, end);
      const text = characters.slice(start, next).join('');
      yield { item, itemIndex, text, first: start === 0, last: whole && next === end };
    }
    if (!whole) return;
  }
}
