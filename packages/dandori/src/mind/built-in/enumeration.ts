import type { Goal } from './goal.ts';
import type { Word } from './words.ts';

/** "The weather in Tokyo and Osaka" as two goals, one for each name; none where the goal lists no names. */
export function variantsOf({ words, text, raw }: Goal): string[] {
  const names = listed(words, text);
  const [first, last] = [names[0], names.at(-1)];
  if (first === undefined || last === undefined || names.length < 2) return [];
  return names.map(
    ({ start, end }) => raw.slice(0, first.start) + raw.slice(start, end) + raw.slice(last.end),
  );
}

/** The first run of names with nothing but "and", a comma or と between them. A name may have several words. */
function listed(words: readonly Word[], text: string): { start: number; end: number }[] {
  let names: { start: number; end: number }[] = [];
  for (const word of words) {
    const before = names.at(-1);
    const between = before === undefined ? '' : text.slice(before.end, word.start);
    if (word.meaning !== undefined || word.isSoft) {
      if (names.length > 1) break;
      names = [];
    } else if (before !== undefined && /^[ -]?$/.test(between)) before.end = word.end;
    else if (before !== undefined && /^(?:,? and |, ?|、|・|と| & )$/.test(between))
      names.push({ start: word.start, end: word.end });
    else if (names.length > 1) break;
    else names = [{ start: word.start, end: word.end }];
  }
  return names;
}
