import { canBeNumbered, textOf } from '../core/plain-answer.ts';
import type { Json } from '../domain/json.ts';
import { parseJson, stringifyJson } from '../domain/json-text.ts';
import type { Option } from '../domain/question.ts';

/** One line for each option: its number, what can be typed in place of it, and what it means. */
export function choiceLines(options: readonly Option[]): string[] {
  const isNumbered = canBeNumbered(options);
  return options.map((option, index) => {
    const { label, value } = option;
    const typed = textOf(value);
    return [
      ...(isNumbered ? [String(index + 1)] : []),
      typed,
      ...(label === typed ? [] : [label]),
      ...callsOf(option),
    ].join('  ');
  });
}

/** Who takes it should know what will be called. */
export function callsOf({ tasks = [] }: Option): string[] {
  const calls = tasks.map(({ operation, args }) => `${operation} ${stringifyJson(args)}`);
  return calls.length === 0 ? [] : [`→ ${calls.join(', ')}`];
}

/** The answer that a typed text means: the value of an option, its number, its label, or the text itself. */
export function chosen(text: string, options: readonly Option[] = []): Json {
  if (options.length === 0 || options.some(({ value }) => value === text)) return text;
  const parsed = parse(text);
  const same = options.find(({ value }) => stringifyJson(value) === stringifyJson(parsed));
  if (same !== undefined) return same.value;
  const numbered = canBeNumbered(options) && /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  if (numbered !== undefined) return numbered.value;
  const wanted = text.trim().toLowerCase();
  const labelled = options.filter(({ label }) => label.trim().toLowerCase() === wanted);
  return (labelled.length === 1 ? labelled[0]?.value : undefined) ?? parsed;
}

/** Options may have values that are not text; they are typed as JSON then. */
function parse(text: string): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    return text;
  }
}
