import { createTwoFilesPatch } from 'diff';

const MAX_EDITS = 4_000;
const MAX_CHARACTERS = 20_000;

/** What a change does to a text, as a unified diff. A very large one is cut. */
export function diffOf(path: string, before: string, after: string): string {
  if (before === after) return '';
  const diff = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  });
  if (diff === undefined)
    return `The texts differ too much for a diff: ${before.length} characters before, ${after.length} after.`;
  const text = diff.split('\n').slice(1).join('\n');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}\n… (cut)` : text;
}
