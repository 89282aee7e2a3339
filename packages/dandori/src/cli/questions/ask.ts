import { isCancel, text } from '@clack/prompts';
import { schemaProblem } from '../../app/index.ts';
import { canBeNumbered } from '../../commands/index.ts';
import { asText, type Json, type JsonObject, parseJson, stringifyJson } from '../../model/json.ts';
import type { Option, Question } from '../../model/question.ts';
import { type Field, fieldOf, fieldsOf, typedAs } from '../../views/form.ts';
import { questionIn } from '../../views/texts/question-text.ts';
import { printable, printableLine, styleFor } from '../style.ts';
import type { Texts } from '../texts.ts';
import { choose, chooseSome, dropEarlyKeys, yesOrNo } from './prompts.ts';
import { contextLines, untilLines } from './question.ts';

/** The user's reply to a question. `cancel` cancels the whole run. */
export type Reply =
  | { readonly kind: 'answer'; readonly value: Json }
  | { readonly kind: 'declined'; readonly comment?: string }
  | { readonly kind: 'cancel' };

export interface Asking {
  readonly texts: Texts;
  readonly signal?: AbortSignal;
}

const DECLINE = 'decline';
const CANCEL = 'cancel';
const ANSWER = 'answer';

/** Asks the user at the terminal. Undefined if the user leaves the question open. */
export async function replyTo(asked: Question, asking: Asking): Promise<Reply | undefined> {
  const { texts, signal } = asking;
  const question = questionIn(asked, texts.language);
  const style = styleFor(process.stderr);
  for (const line of [...contextLines(question, texts, style), ...untilLines(question, texts)])
    process.stderr.write(`${line}\n`);
  await dropEarlyKeys();
  const { options = [] } = question;
  const choices = options.map((option, index) => ({
    value: String(index),
    label: printableLine([option.label, ...callsOf(option)].join('  ')),
  }));
  if (choices.length === 0) choices.push({ value: ANSWER, label: texts.replies.answer });
  const items = [...choices, ...otherwise(question, texts)];
  // Enter alone must not allow a call that external content may have ordered.
  const first = isAboutTrust(question) ? options.findIndex(({ value }) => value === 'reject') : 0;
  const taken = await choose({ message: printable(question.text), texts, signal }, items, first);
  if (taken === undefined) return undefined;
  if (taken === CANCEL) return { kind: 'cancel' };
  if (taken === DECLINE) return declined(asking);
  if (taken !== ANSWER) return { kind: 'answer', value: options[Number(taken)]?.value ?? null };
  const value = await valueFor(question, asking);
  return value === undefined ? undefined : { kind: 'answer', value };
}

/** An approval already has a rejection among its options, and one about trust also the end of the run. */
function otherwise(question: Question, { replies }: Texts): { value: string; label: string }[] {
  const { kind } = question;
  const hasNo = kind === 'approval' || kind === 'in_doubt' || kind === 'plan_approval';
  return [
    ...(hasNo ? [] : [{ value: DECLINE, label: replies.decline }]),
    ...(isAboutTrust(question) ? [] : [{ value: CANCEL, label: replies.cancel }]),
  ];
}

function isAboutTrust({ kind, options = [] }: Question): boolean {
  return kind === 'approval' && options.some(({ value }) => value === 'stop');
}

async function declined({ texts, signal }: Asking): Promise<Reply | undefined> {
  const why = await text({ message: texts.replies.why, output: process.stderr, signal });
  if (isCancel(why)) return undefined;
  const comment = (why ?? '').trim();
  return { kind: 'declined', ...(comment !== '' && { comment }) };
}

async function valueFor({ id, text: message, form }: Question, asking: Asking): Promise<Json | undefined> {
  const fields = form === undefined ? undefined : fieldsOf(form);
  if (fields === undefined) {
    const only =
      form === undefined ? fieldOf(message, { type: 'string', minLength: 1 }, true) : fieldOf(id, form, true);
    const value = await ofField(only, asking);
    return value === LEFT_OUT ? undefined : value;
  }
  const filled: JsonObject = {};
  for (const field of fields) {
    const value = await ofField(field, asking);
    if (value === undefined) return undefined;
    if (value !== LEFT_OUT) filled[field.name] = value;
  }
  return filled;
}

const LEFT_OUT = Symbol('left out');

async function ofField(field: Field, asking: Asking): Promise<Json | typeof LEFT_OUT | undefined> {
  const { label, hint, isRequired, choices, kind } = field;
  const { texts, signal } = asking;
  const marks = [...(hint === undefined ? [] : [hint]), ...(isRequired ? [] : [texts.replies.optional])];
  const message = printableLine([label, ...(marks.length > 0 ? [`(${marks.join('; ')})`] : [])].join(' '));
  const shown = { message, texts, signal };
  if (kind === 'flag' && isRequired) return yesOrNo(shown, field.default !== false);
  if (kind === 'flag' || kind === 'choice') {
    const own =
      kind === 'flag' ? [true, false].map((value) => ({ value, label: texts.replies.flag(value) })) : choices;
    const index = await choose(shown, indexed(own, field, texts));
    return index === undefined ? undefined : (own[index]?.value ?? LEFT_OUT);
  }
  if (kind === 'many') {
    const chosen = await chooseSome(shown, indexed(choices, { ...field, isRequired: true }, texts), {
      initialValues: defaultsOf(field),
      required: isRequired,
    });
    return chosen?.map((index) => choices[index]?.value ?? null);
  }
  const typed = await text({
    message,
    output: process.stderr,
    signal,
    ...(field.default !== undefined && { initialValue: asText(field.default) }),
    validate: (value) => problemWith(field, value ?? '', asking),
  });
  if (isCancel(typed)) return undefined;
  return typed === '' && !isRequired ? LEFT_OUT : typedAs(field, typed);
}

/** The default comes first, where the cursor starts. */
function indexed(
  choices: readonly { readonly label: string; readonly value: Json }[],
  { default: first, isRequired }: Field,
  texts: Texts,
): { value: number; label: string }[] {
  const options = choices.map(({ label }, index) => ({ value: index, label: printableLine(label) }));
  const at = choices.findIndex(({ value }) => stringifyJson(value) === stringifyJson(first));
  const sorted = at < 0 ? options : [...options.slice(at, at + 1), ...options.toSpliced(at, 1)];
  if (isRequired) return sorted;
  const leaveOut = { value: -1, label: texts.replies.leaveOut };
  // Without a default, "leave out" comes first, so that pressing Enter by accident chooses nothing.
  return at < 0 ? [leaveOut, ...sorted] : [...sorted, leaveOut];
}

/** The choices that are preselected. */
function defaultsOf({ choices, default: first }: Field): number[] {
  const wanted = (Array.isArray(first) ? first : []).map((value) => stringifyJson(value));
  return choices.flatMap(({ value }, index) => (wanted.includes(stringifyJson(value)) ? [index] : []));
}

function problemWith(field: Field, typed: string, { texts }: Asking): string | undefined {
  if (typed === '') return field.isRequired ? texts.replies.needed : undefined;
  return schemaProblem(field.schema, typedAs(field, typed));
}

/**
 * One line per option: its number and its label. Options that cannot be numbered show their value instead, if it is a
 * number or if two labels are equal.
 */
export function choiceLines(options: readonly Option[]): string[] {
  const isNumbered = canBeNumbered(options);
  return options.map((option, index) => {
    const { label, value } = option;
    const isTwin = options.some((other) => other !== option && other.label === label);
    const written = asText(value);
    const isKey = isTwin || (/^\d+$/.test(written) && !label.startsWith(written));
    return [
      ...(isNumbered ? [String(index + 1)] : []),
      ...(isKey && !isNumbered ? [written] : []),
      label,
      ...callsOf(option),
    ].join('  ');
  });
}

/** The calls that an option would make, so that the user knows them before choosing it. */
function callsOf({ tasks = [] }: Option): string[] {
  const calls = tasks.map(({ operation, args }) => `${operation} ${stringifyJson(args)}`);
  return calls.length === 0 ? [] : [`→ ${calls.join(', ')}`];
}

/** Reads a typed answer: the value, number or label of an option, or the text itself. */
export function optionTyped(text: string, options: readonly Option[] = []): Json {
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

/** Option values that are not text are typed as JSON. */
function parse(text: string): Json {
  try {
    return parseJson(text) as Json;
  } catch {
    return text;
  }
}
