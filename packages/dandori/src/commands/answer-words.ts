import { type Json, stringifyJson } from '../model/json.ts';
import type { Option, Question } from '../model/question.ts';

const YES = new Set([
  ...['y', 'yes', 'yep', 'yeah', 'ok', 'okay', 'sure', 'approve', 'go', 'go ahead', 'do it', 'please do'],
  ...['yes please', 'yes, please', 'sounds good'],
  ...[
    'はい',
    'ええ',
    'うん',
    '承認',
    '承認します',
    'お願いします',
    'お願い',
    'おねがいします',
    'いいよ',
    'いいです',
  ],
  ...[
    'よろしく',
    'よろしくお願いします',
    'はい、お願いします',
    'オーケー',
    '了解',
    '了解です',
    '進めて',
    '進めてください',
  ],
]);
const NO = new Set([
  ...['n', 'no', 'nope', 'reject', 'stop', "don't", 'do not', 'no thanks', 'no, thanks', 'no thank you'],
  ...[
    'いいえ',
    'いや',
    'だめ',
    'ダメ',
    '駄目',
    'やめて',
    'やめてください',
    '却下',
    '中止',
    '不要',
    '結構です',
    '承認しない',
  ],
]);

/**
 * The answer that a message clearly states: an option by value, label or number, or a yes or no to an
 * approval. Undefined if the message needs interpretation. Nothing but a clear yes may count as a yes.
 */
export function plainAnswer(text: string, question: Question): { readonly value: Json } | undefined {
  const { options = [] } = question;
  const said = normalised(text);
  const chosen = optionFor(said, options);
  if (chosen !== undefined) return { value: chosen.value };
  const verdict = verdictIn(said);
  if (verdict === undefined || !isApproval(question)) return undefined;
  const meant = options.find(({ value }) => value === verdict);
  return meant === undefined ? undefined : { value: meant.value };
}

/** Words that may mean "stop". If a message has none of them, the user is asked before a run is cancelled. */
const STOP =
  /\b(stop|cancel|abort|halt|quit|end|kill|drop|forget|undo|terminate|skip|off|leave|never ?mind|no longer|any ?more|don'?t|do not|get rid)|やめ|止め|辞め|とめ|中止|中断|停止|終了|終わ|キャンセル|ストップ|取り?消|取りやめ|いらない|要らない|不要|もういい|しないで/iu;

/** Whether a message may ask to stop something. */
export function asksToStop(text: string): boolean {
  return STOP.test(text.normalize('NFKC'));
}

export function isApproval({ kind }: Pick<Question, 'kind'>): boolean {
  return kind === 'approval' || kind === 'plan_approval';
}

/** Whether any text is a valid answer. */
export function takesWords({ kind, options = [], form, url }: Question): boolean {
  return kind === 'missing_input' && options.length === 0 && form === undefined && url === undefined;
}

function verdictIn(said: string): 'approve' | 'reject' | undefined {
  if (YES.has(said)) return 'approve';
  return NO.has(said) ? 'reject' : undefined;
}

function optionFor(said: string, options: readonly Option[]): Option | undefined {
  const named = options.find(
    ({ value, label }) => said === normalised(answerText(value)) || said === normalised(label),
  );
  if (named !== undefined || !canBeNumbered(options)) return named;
  return /^\d+$/.test(said) ? options[Number(said) - 1] : undefined;
}

/** False if the option values are numbers themselves. Then "2" would be ambiguous. */
export function canBeNumbered(options: readonly Option[]): boolean {
  return !options.some(({ value }) => /^\d+$/.test(answerText(value)));
}

export function answerText(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

function normalised(text: string): string {
  return text
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/[.!。、,]+$/u, '');
}
