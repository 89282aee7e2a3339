import { stringifyJson } from '../model/json.ts';
import type { TrustAbout } from '../model/question.ts';
import type { Words } from './texts/en/words.ts';

type Value = TrustAbout['values'][number];

/** Why a call is asked about, then each argument with the place where its value was read. */
export function trustLines(
  { because, values, flags = [], unseen = [], trustMissing = [] }: TrustAbout,
  words: Pick<Words, 'trust'>,
): string[] {
  // In quotes, so that a value cannot look like the place where it was read.
  const lines = values.map(
    (one) => `${nameText(one.argument)} = ${stringifyJson(one.value)} (${originText(one, words)})`,
  );
  const flagged = flags.map(({ task, operation, quote }) => words.trust.flagged(operation, task, quote));
  const servers = unseen.length === 0 ? [] : [words.trust.unseen(unseen)];
  const fix = trustMissing.length === 0 ? [] : [words.trust.trustMissing(trustMissing)];
  return [words.trust.because[because], ...lines, ...flagged, ...servers, ...fix];
}

function nameText(name: string): string {
  return /^[\p{L}\p{N}_.-]+$/u.test(name) ? name : stringifyJson(name);
}

/** Where a value was read. */
export function originText(
  { task, operation, quote, isInGoal }: Pick<Value, 'task' | 'operation' | 'quote' | 'isInGoal'>,
  { trust: say }: Pick<Words, 'trust'>,
): string {
  const found = [
    ...(isInGoal === true ? [say.goal] : []),
    ...(task === undefined ? [] : [say.from(task, operation ?? '', quote)]),
    ...(task === undefined && operation !== undefined ? [say.offered(operation)] : []),
  ];
  return found.length === 0 ? say.unknown : found.join('; ');
}
