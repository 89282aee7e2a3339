import { DandoriError } from '../../model/error.ts';
import { type Json, type JsonObject, parseJson } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import { type Field, fieldOf, fieldsOf, typedAs } from '../../views/form.ts';
import { optionTyped } from './ask.ts';

/** What the user typed after `dandori answer RUN QUESTION`. */
interface Typed {
  readonly text: string;
  /** Each `name=value`. */
  readonly fields: readonly string[];
}

/** Parses an answer from the command line: an option by value, number or label, or a form. */
export function answerFrom({ text, fields }: Typed, question: Question): Json {
  const { form, id } = question;
  if (form === undefined) {
    if (fields.length === 0) return optionTyped(text, question.options);
    throw new DandoriError('usage', `${id} has no form, so --field cannot be used.`, {
      fix: `Give the answer itself: dandori answer RUN ${id} ANSWER`,
    });
  }
  const known = fieldsOf(form);
  if (known === undefined) return typedAs(fieldOf(id, form, true), text);
  const given = Object.fromEntries(fields.map((word) => fieldFrom(word, known, id)));
  return text === '' ? given : { ...formFrom(text, known, id), ...given };
}

/** Parses an answer that is a single text, as in a chat: `size=large count=2`, or JSON. */
export function parseOneAnswer(text: string, question: Question): Json {
  const known = question.form === undefined ? undefined : fieldsOf(question.form);
  const fields = known === undefined ? [] : fieldsIn(text, known);
  return answerFrom(fields.length > 0 ? { text: '', fields } : { text, fields }, question);
}

/** A value continues until the next field of the form begins. */
function fieldsIn(text: string, known: readonly Field[]): string[] {
  const fields: string[] = [];
  for (const word of text.trim().split(/(?<=[\s,、])/u)) {
    if (known.some(({ name }) => word.startsWith(`${name}=`))) fields.push(word);
    else if (fields.length === 0) return [];
    else fields.push(`${fields.pop()}${word}`);
  }
  return fields.map((field) => field.replace(/[\s,、]+$/u, ''));
}

function fieldFrom(word: string, known: readonly Field[], question: string): [string, Json] {
  const [name = '', value] = word.split(/=(.*)/s);
  const field = known.find((one) => one.name === name);
  if (value !== undefined && field !== undefined) return [name, typedAs(field, value)];
  const message =
    value === undefined ? `--field takes name=value, not "${word}".` : `${question} has no field "${name}".`;
  throw new DandoriError('usage', message, {
    fix: `Its fields: ${known.map((one) => one.name).join(', ')}.`,
  });
}

/** Parses JSON of the whole form, or the value of its only field. */
function formFrom(text: string, known: readonly Field[], question: string): JsonObject {
  const [only, ...others] = known;
  if (/^\s*\{/.test(text)) {
    try {
      return parseJson(text) as JsonObject;
    } catch (cause) {
      const message = `The answer to ${question} is not JSON: ${cause instanceof Error ? cause.message : cause}`;
      throw new DandoriError('answer-invalid', message, {
        fix: 'Put it in single quotes, or use --field name=value.',
      });
    }
  }
  if (only !== undefined && others.length === 0) return { [only.name]: typedAs(only, text) };
  throw new DandoriError('answer-invalid', `${question} has a form of ${known.length} fields.`, {
    fix: `Give each: ${known.map(({ name }) => `--field ${name}=…`).join(' ')}, or all as JSON.`,
  });
}
