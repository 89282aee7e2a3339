import { duration } from '../core/duration.ts';
import { type Field, fieldsOf, textOf } from '../core/form-field.ts';
import type { AskedQuestion } from '../core/report.ts';
import { effect } from '../domain/effect.ts';
import { estimate } from '../domain/estimate.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Question } from '../domain/question.ts';
import { choiceLines } from './choice.ts';
import { estimateLines } from './estimate.ts';
import { planQuestionLines } from './plan-question.ts';
import { printable, type Style } from './style.ts';
import type { Texts } from './texts.ts';

/** Nobody reads more on a terminal. What is cut says so, and `--json` has all of it. */
const LONGEST = 2_000;

/** A question as it is printed where nobody can be asked: what it is about, then the answers to choose from. */
export function questionLines(question: AskedQuestion, texts: Texts, style: Style): string[] {
  return [
    `${style.yellow('?')} ${printable(question.text)}`,
    ...contextLines(question, texts).map((line) => `    ${line}`),
    ...choiceLines(question.options ?? []).map((line) => `    ${style.bold(printable(line))}`),
    ...formLines(question, texts).map((line) => `    ${style.bold(printable(line))}`),
    ...termLines(question, texts).map((line) => `    ${style.dim(printable(line))}`),
  ];
}

/** The commands that answer it. One that has expired takes no answer: whoever drives the run next goes on without. */
export function answerCommands(run: string, question: AskedQuestion, texts: Texts): string[] {
  const { id, kind } = question;
  if (hasExpired(question)) return [texts.resumeWith(run)];
  if (kind !== 'plan_approval') return [answerCommand(run, question, texts)];
  const { howToApprove, howToReject, howToChange } = texts.plans;
  return [howToApprove(run, id), howToReject(run, id), howToChange(run, id)];
}

export function hasExpired({ expiresAt }: AskedQuestion): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}

/** With the fields of its form. */
export function answerCommand(run: string, { id, form }: Question, texts: Texts): string {
  const fields = form === undefined ? undefined : fieldsOf(form);
  if (fields === undefined) return texts.howToAnswer(run, id);
  const wanted = fields.filter(({ isRequired }) => isRequired);
  const named = (wanted.length > 0 ? wanted : fields).map(({ name }) => name);
  return texts.howToFillIn(run, id, named);
}

function formLines({ form }: Question, texts: Texts): string[] {
  return (form === undefined ? [] : (fieldsOf(form) ?? [])).map((field) => fieldLine(field, texts));
}

function fieldLine(field: Field, { replies }: Texts): string {
  const { name, label, hint, isRequired, default: fallback } = field;
  const values = valuesOf(field, replies);
  return [
    name,
    ...(label === name ? [] : [label]),
    ...(hint === undefined ? [] : [hint]),
    ...(values === '' ? [] : [values]),
    ...(fallback === undefined ? [] : [replies.default(textOf(fallback))]),
    ...(isRequired ? [] : [`(${replies.optional})`]),
  ].join('  ');
}

/** What may be typed for it; nothing is said of plain text. */
function valuesOf({ kind, choices, schema }: Field, { flag, number, integer }: Texts['replies']): string {
  if (choices.length > 0) return choices.map(({ value }) => textOf(value)).join(' | ');
  if (kind === 'flag') return [true, false].map(flag).join(' | ');
  if (kind !== 'number') return '';
  const { type, minimum, maximum } = schema;
  const isBound = minimum !== undefined || maximum !== undefined;
  const range = isBound ? ` ${minimum ?? ''}…${maximum ?? ''}` : '';
  return `${type === 'integer' ? integer : number}${range}`;
}

/** Until when, and for whom; the tasks behind the one that asks wait too. */
function termLines(
  { kind, task, blocks, expiresAt, default: fallback, answerers }: AskedQuestion,
  texts: Texts,
): string[] {
  // The tasks of a plan stand in it.
  const others = kind === 'plan_approval' ? [] : blocks.filter((id) => id !== task);
  return [
    ...(others.length === 0 ? [] : [texts.alsoWaiting(someOf(others, texts))]),
    ...untilLines({ expiresAt, default: fallback }, texts),
    ...(answerers === undefined ? [] : [texts.mayAnswer(answerers.join(', '))]),
  ];
}

/** How long somebody may think about it, and what counts after that. */
export function untilLines(
  { expiresAt, default: fallback }: Pick<Question, 'expiresAt' | 'default'>,
  texts: Texts,
): string[] {
  const left = expiresAt === undefined ? undefined : expiresAt - Date.now();
  return [
    ...(left === undefined ? [] : [left > 0 ? texts.expiresIn(duration(left)) : texts.hasExpired]),
    ...(fallback === undefined ? [] : [texts.replies.default(shown(fallback, texts))]),
  ];
}

const MOST_NAMED = 10;

function someOf(ids: readonly string[], { more }: Texts): string {
  const named = ids.slice(0, MOST_NAMED).join(', ');
  return ids.length <= MOST_NAMED ? named : `${named} ${more(ids.length - MOST_NAMED)}`;
}

/** What a person must know to answer. Of a call: the operation with its arguments, its effect, and why. */
export function contextLines(question: Question, texts: Texts): string[] {
  const { kind, context, url } = question;
  const about = kind === 'plan_approval' ? planQuestionLines(question, texts) : undefined;
  return about ?? [...callLines(context, texts), ...(url === undefined ? [] : [pageLine(url, texts)])];
}

/** In full, and with the host alone: a long address hides where it leads. We never open it. */
function pageLine(url: string, texts: Texts): string {
  return printable(texts.page(url, URL.canParse(url) ? new URL(url).host : '?'));
}

function callLines(context: Question['context'], texts: Texts): string[] {
  if (context === undefined || context === null) return [];
  if (typeof context !== 'object' || Array.isArray(context)) return [shown(context, texts)];
  const { operation, args, reasoning, plan, done, open, ...others } = context;
  return [
    ...(operation === undefined ? [] : [`${shown(operation, texts)} ${shown(args ?? {}, texts)}`]),
    ...Object.entries(others).map(
      ([name, value]) =>
        `${printable(texts.contextNames[name] ?? name)}: ${shown(inWords(name, value, texts), texts)}`,
    ),
    ...insideLines('done', Array.isArray(done) ? done : [], texts),
    ...insideLines('open', open === undefined ? [] : [open], texts),
    ...(reasoning === undefined ? [] : [`${texts.why}: ${shown(reasoning, texts)}`]),
    ...planLines(plan, texts),
  ];
}

/** What a service had called before it was interrupted. */
function insideLines(name: 'done' | 'open', calls: readonly Json[], texts: Texts): string[] {
  if (calls.length === 0) return [];
  const lines = calls.map((call) => {
    const { operation = '', args = {} } = (call ?? {}) as JsonObject;
    return `  ${shown(operation, texts)} ${shown(args, texts)}`;
  });
  return [`${printable(texts.contextNames[name] ?? name)}:`, ...lines];
}

function inWords(name: string, value: Json, { plans: { effects } }: Texts): Json {
  const known = effect.safeParse(name === 'effect' ? value : undefined);
  return known.success ? effects[known.data] : value;
}

/** One call of many: who says yes to it should know what else the plan does. */
function planLines(plan: Json | undefined, texts: Texts): string[] {
  const read = estimate.safeParse(plan);
  if (!read.success || read.data.calls < 2) return [];
  return [`${texts.wholePlan}:`, ...estimateLines(read.data, texts).map((line) => `  ${printable(line)}`)];
}

function shown(value: Json, texts: Texts): string {
  const text = printable(typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : stringifyJson(value));
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… ${texts.characters(text.length)}`;
}
