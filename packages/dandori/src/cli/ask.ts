import { isCancel, select, text } from '@clack/prompts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import { contextLines } from './question.ts';
import { printable } from './style.ts';
import type { Texts } from './texts.ts';

/** Asks the person at the terminal. Undefined where they would rather not answer now. */
export async function ask(question: Question, texts: Texts, signal: AbortSignal): Promise<Json | undefined> {
  for (const line of contextLines(question, texts)) process.stderr.write(`${line}\n`);
  const message = printable(question.text);
  const { options } = question;
  if (options === undefined || options.length === 0) {
    const answer = await text({ message, output: process.stderr, signal });
    return isCancel(answer) ? undefined : answer;
  }
  const chosen = await select({
    message,
    output: process.stderr,
    signal,
    options: options.map(({ label }, index) => ({ value: index, label: printable(label) })),
  });
  return isCancel(chosen) ? undefined : options[chosen]?.value;
}
