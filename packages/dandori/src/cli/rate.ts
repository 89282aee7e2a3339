import { DandoriError } from '../domain/error.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';

export interface RateOptions {
  readonly config?: string;
  readonly comment?: string;
  readonly by?: string;
  readonly json?: boolean;
}

export async function rate(
  { run: name, rating: typed }: { run: string; rating: string },
  { comment, by, ...options }: RateOptions,
): Promise<number> {
  if (!/^[1-5]$/.test(typed)) {
    throw new DandoriError('usage', `A rating is a whole number from 1 to 5, not "${typed}".`, {
      fix: 'Give 5 for a run that was just right, 1 for one of no use.',
    });
  }
  const rating = Number(typed);
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.rate(run, { rating, comment, by });
  if (options.json === true) process.stdout.write(`${JSON.stringify({ run, rating, comment, by })}\n`);
  else process.stderr.write(`${textsFor({ language: dandori.config.language }).rated(rating)}\n`);
  return 0;
}
