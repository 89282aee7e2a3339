import { asText, type Json } from '../model/json.ts';
import type { Option } from '../model/question.ts';
import { isJapanese } from '../model/text.ts';
import {
  amountIn,
  ENDING,
  FILLERS,
  MIDDLE,
  numberIn,
  OF_TWO,
  ONE_ENDING,
  OPENER,
  ORDINALS,
  PLACE,
  VERBS,
} from './answer-phrases.ts';
import { contentWords, isNamed, lettersAndDigits, simplified } from './label-words.ts';

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

export interface Choice {
  readonly options: readonly Pick<Option, 'value' | 'label'>[];
  /** The question and the goal. */
  readonly about: string;
  readonly goal?: string | undefined;
}

/** The options whose value or label these words are. */
export function exactly<T extends Pick<Option, 'value' | 'label'>>(said: string, options: readonly T[]): T[] {
  const wanted = lettersAndDigits(said);
  const byValue = options.filter(({ value }) => simplified(asText(value)) === said);
  if (byValue.length > 0) return byValue;
  return options.filter(
    ({ label }) =>
      simplified(label) === said || (wanted !== '' && lettersAndDigits(simplified(label)) === wanted),
  );
}

export function chosen({ value, label }: Pick<Option, 'value' | 'label'>): Reading {
  return { kind: 'answer', value, label };
}

export const open = (why: Unanswered): Reading => ({ kind: 'open', why });

/** False if the values or labels are numbers themselves. Then "2" would be ambiguous. */
export function canBeNumbered(options: readonly Option[]): boolean {
  return !options.some(
    ({ value, label }, index) =>
      /^\d+$/.test(asText(value)) || !['', String(index + 1)].includes(/^\d+/.exec(label)?.[0] ?? ''),
  );
}

/** 「すべて（2 本）」 is 「すべて」. */
export function withoutRemark(label: string): string {
  return label.replace(/[(（][^()（）]*[)）]\s*$/u, '');
}

export function one(options: readonly Pick<Option, 'value' | 'label'>[]): Reading {
  const [only] = options;
  return only !== undefined && options.length === 1 ? chosen(only) : open('which');
}

/** The option by its place, its label, or words of its label. All that fit must be the same one. */
export function readOption(
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
export function placed<T extends Pick<Option, 'value' | 'label'>>(
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

export function withoutOpener(said: string): string {
  const rest = said.replace(OPENER, '');
  return rest === '' || rest === said ? said : withoutOpener(rest);
}

/** Without "please" and 「でお願いします」, and without "the … one" and 「の方」. */
export function withoutManners(bare: string): string {
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
export function withoutVerb(said: string, about: string): string {
  for (const { asked, japanese, english } of VERBS) {
    if (!asked.test(about)) continue;
    const rest = said.replace(japanese, '').replace(english, ' ').replaceAll(/\s+/g, ' ').trim();
    if (rest !== '' && rest !== said) return rest;
  }
  return said;
}

const SOONER =
  /(?:賞味|消費)?期限が?(?:一番)?(?:近い|早い|短い|先に切れる)|早く(?:切れる|期限が来る)|先に切れる|古い|expir(?:es|ing)? (?:first|sooner|soonest|earlier|earliest)|(?:goes|going) (?:off|bad) (?:first|sooner)|older|oldest|earlier|earliest|soonest/u;
const LATER =
  /(?:賞味|消費)?期限が?(?:一番)?(?:遠い|遅い|長い|先の)|新しい|expir(?:es|ing)? (?:last|later|latest)|newer|newest|later|latest/u;
const AROUND =
  /の?(?:方|ほう|もの|やつ|ほうの)|\b(?:the|one|that|which|with|date|please)\b|[のでをがは、。.\s]/gu;

/** "The one that expires first", 「期限が近い方」: the option with the first date, if every label has one. */
function byDate<T extends { readonly label: string }>(said: string, options: readonly T[]): T | undefined {
  const wanted = [SOONER, LATER].find((form) => said.replace(form, '').replaceAll(AROUND, '') === '');
  const dated = options.map((option) => ({ option, days: option.label.match(/\d{4}-\d{2}-\d{2}/g) ?? [] }));
  if (wanted === undefined || !wanted.test(said) || dated.some(({ days }) => days.length !== 1))
    return undefined;
  const sorted = dated.toSorted((one, other) => String(one.days[0]).localeCompare(String(other.days[0])));
  const [first, second] = wanted === SOONER ? sorted : sorted.toReversed();
  return first?.days[0] === second?.days[0] ? undefined : first?.option;
}
