import { assertNever } from '../model/error.ts';
import { asObject, asText, isObject, type Json } from '../model/json.ts';
import { isAboutStep, type Option, type Question } from '../model/question.ts';
import { type Field, fieldOf, fieldsOf } from '../views/form.ts';
import {
  type Choice,
  canBeNumbered,
  chosen,
  exactly,
  one,
  open,
  placed,
  type Reading,
  readOption,
  withoutManners,
  withoutOpener,
  withoutRemark,
  withoutVerb,
} from './answer-options.ts';
import {
  ANY_YES,
  amountIn,
  BEGINS_WITH_YES,
  BOTH,
  CLEAR_YES,
  EITHER,
  ENDING,
  GIVES_UP,
  NEITHER,
  NO,
  numberIn,
  ONE_ENDING,
  ORDINALS,
} from './answer-phrases.ts';
import { piecesOf, simplified } from './label-words.ts';

/** Longer words need a model. The limit also bounds the work of the patterns. */
const LONGEST_ANSWER = 120;

interface About {
  /** The goal of the run that asks. The words may repeat its verb: "throw away the low-fat one". */
  readonly goal?: string | undefined;
}

/**
 * Undefined if the message is not about the question, or if it takes a model to understand it. A new request
 * that contains a word of an option is never an answer: every word must be part of the answer.
 */
export function readAnswer(text: string, question: Question, { goal }: About = {}): Reading | undefined {
  const said = simplified(text);
  const { options = [], form, url } = question;
  if (said === '') return undefined;
  if (url !== undefined) return GIVES_UP.test(said) ? { kind: 'declined' } : undefined;
  if (form !== undefined) return readForm(said.slice(0, LONGEST_ANSWER + 1), question, goal);
  const exact = exactly(said, options);
  if (exact.length === 1 && exact[0] !== undefined) return chosen(exact[0]);
  if (said.length > LONGEST_ANSWER) return undefined;
  if (isApproval(question)) return readVerdict(said, question);
  if (question.kind === 'in_doubt') return readSettlement(said, options);
  if (options.length > 0)
    return readChoice(said, { options, about: `${question.text}\n${goal ?? ''}`, goal });
  return GIVES_UP.test(said) ? { kind: 'declined' } : undefined;
}

const REFERS_EN =
  /^(?:please )?(?:the|that|this|those) (?:[\p{L}' -]{1,40} )?ones?(?: (?:with|that|which|in|from)\b.{1,40})?$/u;

/**
 * Whether the words mean one of the options without saying which, as far as we can read them: "the cheaper
 * one", 「安い方」. Only a model may know which.
 */
export function refersToOption(text: string, question: Question): boolean {
  const said = simplified(text);
  const hasChoices = (question.options ?? []).length > 0 && !isApproval(question);
  if (!hasChoices || said.length > LONGEST_HESITATION * 2 || isAsking(said)) return false;
  return (
    REFERS_EN.test(said) ||
    /^(?:the )?[a-z]{3,12}est$/u.test(said) ||
    ONE_ENDING.test(said.replace(ENDING, ''))
  );
}

const NEGATED =
  /\b(?:not|no|never|without|except|but|neither|nor)\b|n't\b|以外|じゃな|ではな|でな[いく]|くない|いらない|要らない|やめ/iu;
const PLACED = new RegExp(`(${[...ORDINALS.keys()].filter((word) => word.length > 1).join('|')})`, 'gu');

/**
 * The options that a longer message names: it holds words that only one label has, or its place. Empty if it
 * names several, or denies something. A model may choose one of these; for any other the user is asked.
 */
export function optionsNamed(text: string, { options = [], form }: Question): readonly Option[] {
  const said = simplified(text);
  if (form !== undefined || NEGATED.test(said)) return [];
  const pieces = piecesOf(text);
  const named = new Set(
    pieces.flatMap((piece) => {
      const having = options.filter(({ label }) => piecesOf(label).includes(piece));
      return having.length === 1 ? having : [];
    }),
  );
  for (const [, word = ''] of said.matchAll(PLACED)) {
    const place = ORDINALS.get(word) ?? 0;
    const option = options.at(place < 0 ? place : place - 1);
    if (option !== undefined && place !== 0) named.add(option);
  }
  return named.size === 1 ? [...named] : [];
}

export function isApproval({ kind }: Pick<Question, 'kind'>): boolean {
  return kind === 'approval' || kind === 'plan_approval';
}

/** Whether the words are only a yes, a no or a number. They do not tell which question they answer. */
export function isBare(text: string): boolean {
  const said = simplified(text);
  return ANY_YES.test(said) || NO.test(said) || numberIn(said) !== undefined;
}

/** Whether any text is a valid answer. */
export function takesWords({ kind, options = [], form, url }: Question): boolean {
  return kind === 'missing_input' && options.length === 0 && form === undefined && url === undefined;
}

const isAsking = (said: string) => /\?$/.test(said);

/** Longer words that begin like a yes are more than an answer: a model reads them. */
const LONGEST_HESITATION = 24;

/**
 * Only a clear yes, or the option in full, approves what cannot be undone. A no in any form rejects it.
 */
function readVerdict(said: string, question: Question): Reading | undefined {
  const { options = [] } = question;
  const isStrict = mayDestroy(question);
  const option = (value: string) => options.find((one) => one.value === value);
  const rejected = option('reject');
  if (NEITHER.test(said)) return rejected === undefined ? { kind: 'declined' } : chosen(rejected);
  const approved = option('approve');
  if (approved !== undefined && (isStrict ? CLEAR_YES : ANY_YES).test(said)) return chosen(approved);
  const number = canBeNumbered(options) ? numberIn(said) : undefined;
  const numbered = number === undefined ? undefined : options[number - 1];
  if (numbered !== undefined && (numbered === rejected || !isStrict)) return chosen(numbered);
  const isUnclear = [ANY_YES, EITHER, BOTH].some((pattern) => pattern.test(said)) || numbered !== undefined;
  const isHesitating = BEGINS_WITH_YES.test(said) && said.length <= LONGEST_HESITATION && !isAsking(said);
  return isUnclear || isHesitating ? open('clear_yes') : undefined;
}

/**
 * Whether an approval covers a call that cannot be undone, or one whose effect is unknown. To go on with a step covers no
 * call: its destructive calls are asked about themselves.
 */
function mayDestroy({ kind, context }: Question): boolean {
  const { effect, tasks } = asObject(context);
  if (isAboutStep({ context })) return false;
  const isDestructive = (call: Json | undefined) => isObject(call) && call.effect === 'destructive';
  if (kind === 'plan_approval') return Array.isArray(tasks) && tasks.some(isDestructive);
  return effect !== 'read' && effect !== 'idempotent' && effect !== 'write';
}

/** For an outcome check, the words must name an option. A "no" that was meant differently would repeat the call. */
function readSettlement(said: string, options: readonly Option[]): Reading | undefined {
  const found = placed(withoutManners(said), options);
  if (found !== undefined) return chosen(found);
  if (GIVES_UP.test(said)) return { kind: 'declined' };
  return ANY_YES.test(said) || NO.test(said) ? open('which') : undefined;
}

function readChoice(said: string, choice: Choice): Reading | undefined {
  const { options, about } = choice;
  if (isAsking(said)) return undefined;
  const bare = withoutVerb(withoutOpener(said), about);
  const core = withoutManners(bare);
  const is = (pattern: RegExp) => [said, bare, core].some((words) => pattern.test(words));
  const meaning = (pattern: RegExp) =>
    options.filter(({ value, label }) =>
      [label, withoutRemark(label), asText(value)].some((words) => pattern.test(simplified(words))),
    );
  if (is(EITHER)) return meaning(EITHER)[0] === undefined ? open('which') : one(meaning(EITHER));
  if (is(BOTH)) return meaning(BOTH)[0] === undefined ? open('only_one') : one(meaning(BOTH));
  if (is(NEITHER)) {
    const no = options.filter(
      ({ value, label }) => value === false || NEITHER.test(simplified(label)) || NO.test(simplified(label)),
    );
    return no.length === 1 ? one(no) : { kind: 'declined' };
  }
  if (ANY_YES.test(said)) {
    const yes = options.filter(({ value, label }) => value === true || ANY_YES.test(simplified(label)));
    return yes.length === 1 ? one(yes) : options.length === 1 ? one(options) : open('which');
  }
  return readOption({ bare, core }, options) ?? theOther(bare, options) ?? withAmount(bare, choice);
}

/** 「低脂肪のを一本」 repeats how many the goal is about. */
function withAmount(bare: string, { options, goal = '' }: Choice): Reading | undefined {
  const [, name, amount = ''] = /^(.+?)[をの、\s]+(\S+?)(?:だけ)?$/u.exec(bare) ?? [];
  const count = amountIn(amount);
  const isRepeated = (goal.normalize('NFKC').match(/\d+/gu) ?? []).some((digits) => Number(digits) === count);
  if (name === undefined || count === undefined || !isRepeated) return undefined;
  return readOption({ bare: name, core: withoutManners(name) }, options);
}

/** "Not the low-fat one", 「低脂肪じゃないほう」: the other one of two. */
function theOther(bare: string, options: Choice['options']): Reading | undefined {
  const denied = NOT_ONE.exec(bare)
    ?.slice(1)
    .find((words) => words !== undefined);
  if (denied === undefined || options.length !== 2) return undefined;
  const read = readOption({ bare: denied, core: withoutManners(denied) }, options);
  if (read?.kind !== 'answer') return read;
  return one(options.filter(({ value }) => value !== read.value));
}

const NOT_ONE =
  /^(?:not|anything but|all but|except) (.+)$|^(.+?)(?:の方|のほう)?(?:じゃない|ではない|でない|以外)(?:の?方|の?ほう|の|やつ)?(?:で|を|がいい|にして|お願いします|でお願いします)*$/u;

/** Fills a form that asks for one thing: a yes or no, a choice, several of a list, or a number. */
function readForm(
  said: string,
  { form = {}, text }: Question,
  goal: string | undefined,
): Reading | undefined {
  if (said.length > LONGEST_ANSWER) return undefined;
  const fields = fieldsOf(form);
  const field = fields === undefined ? fieldOf('', form, true) : fields.length === 1 ? fields[0] : undefined;
  const read = field === undefined ? undefined : readField(said, field, `${text}\n${goal ?? ''}`);
  if (read === undefined) return GIVES_UP.test(said) ? { kind: 'declined' } : undefined;
  if (read.kind !== 'answer' || fields === undefined || field === undefined) return read;
  return { ...read, value: { [field.name]: read.value } };
}

function readField(said: string, { kind, choices, schema }: Field, about: string): Reading | undefined {
  switch (kind) {
    case 'flag':
      if (GIVES_UP.test(said)) return { kind: 'declined' };
      if (NO.test(said)) return { kind: 'answer', value: false, label: said };
      return ANY_YES.test(said) ? { kind: 'answer', value: true, label: said } : undefined;
    case 'choice':
      return readChoice(said, { options: choices, about });
    case 'many':
      return readSeveral(said, { options: choices, about });
    case 'number': {
      const amount = amountIn(withoutManners(said));
      const isValid = amount !== undefined && (schema.type !== 'integer' || Number.isInteger(amount));
      return isValid ? { kind: 'answer', value: amount, label: String(amount) } : undefined;
    }
    case 'text':
    case 'group':
    case 'other':
      return undefined;
    default:
      return assertNever(kind);
  }
}

function readSeveral(said: string, choice: Choice): Reading | undefined {
  const { options } = choice;
  const core = withoutManners(withoutVerb(withoutOpener(said), choice.about));
  const all = BOTH.test(said) || BOTH.test(core);
  const parts = core.split(/\s*(?:,|、|\band\b|&|と|および)\s*/u);
  const named = parts.map((part) => readOption({ bare: part, core: part }, options));
  const values = named.flatMap((read) => (read?.kind === 'answer' ? [read] : []));
  if (all) return list(options);
  if (values.length === parts.length) return list(values);
  return NEITHER.test(said) ? { kind: 'declined' } : undefined;
}

function list(options: readonly Pick<Option, 'value' | 'label'>[]): Reading {
  const different = [...new Map(options.map((option) => [option.label, option])).values()];
  return {
    kind: 'answer',
    value: different.map(({ value }) => value),
    label: different.map(({ label }) => label).join(', '),
  };
}
