import { readFileSync } from 'node:fs';

export type PromptName =
  | 'system'
  | 'output-tools'
  | 'refs'
  | 'mode-auto'
  | 'mode-direct'
  | 'mode-adaptive'
  | 'mode-planned'
  | 'purpose-answer'
  | 'purpose-conclude';

const read = new Map<PromptName, string>();

/** The text of a prompt file beside this one. Read once: a prompt must not change within a run. */
export function readPrompt(name: PromptName): string {
  const known = read.get(name);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`./${name}.md`, import.meta.url), 'utf8').trim();
  read.set(name, text);
  return text;
}
