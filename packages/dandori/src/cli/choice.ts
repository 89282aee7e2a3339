import { canBeNumbered, textOf } from '../core/plain-answer.ts';
import type { Json } from '../domain/json.ts';
import type { Option } from '../domain/question.ts';

/** One line for each option: its number, what can be typed in place of it, and what it means. */
export function choiceLines(options: readonly Option[]): string[] {
  const isNumbered = canBeNumbered(options);
  return options.map(({ label, value }, index) => {
    const typed = textOf(value);
    return [...(isNumbered ? [String(index + 1)] : []), typed, ...(label === typed ? [] : [label])].join(
      '  ',
    );
  });
}

/** The answer that a typed text means: the value of an option, its number, or the text itself. */
export function chosen(text: string, options: readonly Option[] = []): Json {
  if (options.length === 0 || options.some(({ value }) => value === text)) return text;
  const parsed = parse(text);
  const same = options.find(({ value }) => JSON.stringify(value) === JSON.stringify(parsed));
  if (same !== undefined) return same.value;
  const numbered = canBeNumbered(options) && /^\d+$/.test(text) ? options[Number(text) - 1] : undefined;
  return numbered?.value ?? parsed;
}

/** Options may have values that are not text; they are typed as JSON then. */
function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
