import { assertNever } from '../model/error.ts';
import { asObject, asText, isObject, type Json } from '../model/json.ts';
import { isAboutStep, type Option, type Question } from '../model/question.ts';
import { isJapanese } from '../model/text.ts';
import { type Field, fieldOf, fieldsOf } from '../views/form.ts';
import {
  ANY_YES,
  amountIn,
  BEGINS_WITH_YES,
  BOTH,
  CLEAR_YES,
  EITHER,
  ENDING,
  FILLERS,
  GIVES_UP,
  MIDDLE,
  NEITHER,
  NO,
  numberIn,
  OF_TWO,
  ONE_ENDING,
  OPENER,
  ORDINALS,
  PLACE,
  VERBS,
} from './answer-phrases.ts';
import { byDate } from './dated-options.ts';
import { contentWords, isNamed, lettersAndDigits, piecesOf, simplified } from './label-words.ts';

/**
 * How a message answers a question, read without a model.
 *
 * `open`: the message is about the question and does not answer it. `only_one`: it names several options, and
 * one can be chosen. `which`: it fits several options, or leaves the choice to us. `clear_yes`: it is not the
 * clear yes or no that an approval needs.
 */
export type Reading =
  | { readonly kind: 'answer'; readonly value: Json; readonly label: string }
  | { readonly kind: 'declined' }
  | { readonly kind: 'open'; readonly why: Unanswered };
export type Unanswered = 'only_one' | 'which' | 'clear_yes';

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

/** False if the values or labels are numbers themselves. Then "2" would be ambiguous. */
export function canBeNumbered(options: readonly Option[]): boolean {
  return !options.some(
    ({ value, label }, index) =>
      /^\d+$/.test(asText(value)) || !['', String(index + 1)].includes(/^\d+/.exec(label)?.[0] ?? ''),
  );
}

const isAsking = (said: string) => /\?$/.test(said);

/** The options whose value or label these words are. */
function exactly<T extends Pick<Option, 'value' | 'label'>>(said: string, options: readonly T[]): T[] {
  const wanted = lettersAndDigits(said);
  const byValue = options.filter(({ value }) => simplified(asText(value)) === said);
  if (byValue.length > 0) return byValue;
  return options.filter(
    ({ label }) =>
      simplified(label) === said || (wanted !== '' && lettersAndDigits(simplified(label)) === wanted),
  );
}

function chosen({ value, label }: Pick<Option, 'value' | 'label'>): Reading {
  return { kind: 'answer', value, label };
}

const open = (why: Unanswered): Reading => ({ kind: 'open', why });

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

interface Choice {
  readonly options: readonly Pick<Option, 'value' | 'label'>[];
  /** The question and the goal. */
  readonly about: string;
  readonly goal?: string | undefined;
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

/** 「すべて（2 本）」 is 「すべて」. */
function withoutRemark(label: string): string {
  return label.replace(/[(（][^()（）]*[)）]\s*$/u, '');
}

function one(options: readonly Pick<Option, 'value' | 'label'>[]): Reading {
  const [only] = options;
  return only !== undefined && options.length === 1 ? chosen(only) : open('which');
}

/** The option by its place, its label, or words of its label. All that fit must be the same one. */
function readOption(
  { bare, core }: { bare: string; core: string },
  options: Choice['options'],
): Reading | undefined {
  const exact = [bare, core].flatMap((words) => exactly(words, options));
  if (exact.length > 0) return one([...new Set(exact)]);
  const several = severalIn(core, options);
  if (several !== undefined) return several > 1 ? open('only_one') : undefined;
  const amounts = ofAmount(bare, options) ?? ofAmount(core, options);
  if (amounts !== undefined) return one(amounts);
  const byPlace = placed(core, options) ?? placed(bare, options) ?? byDate(bare, options);
  const isCount = amountIn(core) !== undefined && core === bare;
  const byWords = isCount ? [] : options.filter(({ label }) => isNamed(core, label));
  const found = new Set([...(byPlace === undefined ? [] : [byPlace]), ...byWords]);
  if (found.size > 0) return one([...found]);
  // A number beyond the list is a slip, not a new request.
  return numberIn(core) === undefined ? undefined : open('which');
}

/** The options of this amount, if all of them are amounts: 「1本だけ」 of 「1 本」 and 「すべて（2 本）」. */
function ofAmount(core: string, options: Choice['options']): Choice['options'] | undefined {
  const said = amountIn(core.replace(JUST, ''));
  const amounts = options.map(({ label }) => {
    const remark = /[(（]([^()（）]*)[)）]\s*$/u.exec(label)?.[1] ?? '';
    return [withoutRemark(label), remark].map((words) => amountIn(simplified(words))).find(isDefined);
  });
  if (said === undefined || !amounts.every(isDefined)) return undefined;
  // A bare number may also mean a place in the list.
  const isPlace = (index: number) => !/^\d+$/.test(core) || index + 1 === said;
  return options.filter((_, index) => amounts[index] === said && isPlace(index));
}

const JUST = /^(?:just|only) | (?:of them|of these|of those|only)$|(?:だけ|のみ)$/gu;
const isDefined = (amount: number | undefined) => amount !== undefined;

/** How many options "1 and 2" or 「1と2」 names. Undefined if the words are no such list. */
function severalIn(core: string, options: Choice['options']): number | undefined {
  const parts = core.split(/\s*(?:,|、|\band\b|&|と|および)\s*/u);
  if (parts.length < 2 || parts.includes('')) return undefined;
  const named = parts.map(
    (part) => placed(part, options) ?? exactly(part, options)[0] ?? only(options, part),
  );
  return named.every((option) => option !== undefined) ? new Set(named).size : undefined;
}

function only(options: Choice['options'], words: string): Choice['options'][number] | undefined {
  const found = options.filter(({ label }) => isNamed(words, label));
  return found.length === 1 ? found[0] : undefined;
}

/** The option at the place that the words name: "2", "the second one", 「2番目の牛乳」, 「最後」. */
function placed<T extends Pick<Option, 'value' | 'label'>>(
  core: string,
  options: readonly T[],
): T | undefined {
  const { place = core, rest } = PLACE.exec(core)?.groups ?? {};
  const words = rest === undefined ? contentWords(place) : [place];
  const numbered = canBeNumbered(options) ? numberIn(place) : undefined;
  const number = numbered ?? ordinal(words, options);
  const option =
    number === undefined || number === 0 ? undefined : options.at(number < 0 ? number : number - 1);
  if (option === undefined) return undefined;
  const others = numbered === undefined ? words.filter((word) => placeOf(word, options) === undefined) : [];
  return [...(rest === undefined ? [] : [rest]), ...others].every((part) => isNamed(part, option.label))
    ? option
    : undefined;
}

function ordinal(words: readonly string[], options: readonly unknown[]): number | undefined {
  const found = words.flatMap((word) => placeOf(word, options) ?? []);
  return found.length === 1 ? found[0] : undefined;
}

function placeOf(word: string, options: readonly unknown[]): number | undefined {
  const count = options.length;
  const ofTwo = count === 2 ? OF_TWO.get(word) : undefined;
  const middle = count % 2 === 1 && count > 1 && MIDDLE.has(word) ? (count + 1) / 2 : undefined;
  const [, digits] = /^(\d+)(?:st|nd|rd|th)$/.exec(word) ?? [];
  return ORDINALS.get(word) ?? ofTwo ?? middle ?? (digits === undefined ? undefined : Number(digits));
}

function withoutOpener(said: string): string {
  const rest = said.replace(OPENER, '');
  return rest === '' || rest === said ? said : withoutOpener(rest);
}

/** Without "please" and 「でお願いします」, and without "the … one" and 「の方」. */
function withoutManners(bare: string): string {
  let core = bare.replace(/^(?:please\s+)?(.*?)(?:[\s,]+(?:please|pls|plz|thanks|thank you))*$/u, '$1');
  for (;;) {
    const rest = core.replace(ENDING, '').trim();
    if (rest === core || rest === '') break;
    core = rest;
  }
  const name = core.replace(ONE_ENDING, '').trim();
  const words = name === '' ? core : name;
  if (isJapanese(words)) return words;
  const left = words
    .split(' ')
    .filter((word) => !FILLERS.has(word) || /^(?:option|number|no\.?)$/.test(word));
  return left.length === 0 ? words : left.join(' ');
}

/** "throw away the low-fat one" is an answer if the question or the goal is about throwing away. */
function withoutVerb(said: string, about: string): string {
  for (const { asked, japanese, english } of VERBS) {
    if (!asked.test(about)) continue;
    const rest = said.replace(japanese, '').replace(english, ' ').replaceAll(/\s+/g, ' ').trim();
    if (rest !== '' && rest !== said) return rest;
  }
  return said;
}

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
