import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';

export interface RateOptions {
  readonly config?: string;
  readonly comment?: string;
  readonly by?: string;
  readonly json?: boolean;
}

const RATINGS: Readonly<Record<string, number>> = { bad: 1, good: 5, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 };

export async function rate(
  { run: name, rating: typed, words }: { run: string; rating: string; words: readonly string[] },
  { by, ...options }: RateOptions,
): Promise<number> {
  const rating = Object.hasOwn(RATINGS, typed) ? RATINGS[typed] : undefined;
  if (rating === undefined) {
    throw new DandoriError('usage', `A rating is good, bad or a whole number from 1 to 5, not "${typed}".`, {
      fix: 'Give 5 (good) for a run that was just right, 1 (bad) for one of no use.',
    });
  }
  const comment = options.comment ?? (words.length === 0 ? undefined : words.join(' '));
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.rate(run, { rating, comment, by });
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, rating, comment, by })}\n`);
  else process.stderr.write(`${textsFor({ language: dandori.config.language }).rated(rating)}\n`);
  return 0;
}
