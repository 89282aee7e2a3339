import type { RunClient, RunSummary } from '../../app/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { displayWidth } from '../../model/text.ts';
import type { Report } from '../../views/report.ts';
import { asTyped } from '../command-line.ts';
import { usedText } from '../print-report.ts';
import { oneLine, padded, styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';
import { findRun, openWorkplace, shownStatus } from '../workplace.ts';

export async function runs(options: { config?: string; json?: boolean; limit: string }): Promise<number> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new DandoriError('usage', `--limit takes a whole number from 1, not "${options.limit}".`);
  }
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const found: Listed[] = [];
  for (const one of await dandori.runs({ limit })) found.push(await withUsage(one, dandori));
  if (options.json === true) {
    process.stdout.write(`${stringifyJson({ runs: found })}\n`);
    return 0;
  }
  const style = styleFor(process.stdout);
  const paint = {
    answered: style.green,
    failed: style.red,
    damaged: style.red,
    waiting: style.yellow,
    paused: style.yellow,
    interrupted: style.yellow,
  } as Record<string, (text: string) => string>;
  const texts = textsFor({ language: dandori.config.language });
  if (found.length === 0) process.stdout.write(`${asTyped(texts.noRuns, options.config)}\n`);
  const statuses = await Promise.all(found.map((one) => shownStatus(one, dandori)));
  const width = Math.max(0, ...statuses.map((status) => displayWidth(texts.words.statuses[status])));
  for (const [index, { run, goal, startedAt, usage, parent, ...one }] of found.entries()) {
    const status = statuses[index] ?? one.status;
    const when = new Date(startedAt).toLocaleString('sv-SE');
    const shown = (paint[status] ?? style.dim)(padded(texts.words.statuses[status], width));
    const more = [
      ...(usage === undefined ? [] : [usedText(usage, texts)]),
      ...(parent === undefined ? [] : [texts.subGoalOf(parent)]),
    ].join(' · ');
    process.stdout.write(`${run}  ${style.dim(when)}  ${shown}  ${oneLine(goal, 60)}  ${style.dim(more)}\n`);
  }
  return 0;
}

interface Listed extends RunSummary {
  /** Missing if the run cannot be read. */
  readonly usage?: Report['usage'];
}

/**
 * A summary has only the ends of a journal. They tell neither what a run used, nor whether an open one waits
 * for a person.
 */
async function withUsage(summary: RunSummary, dandori: RunClient): Promise<Listed> {
  if (summary.status === 'damaged') return summary;
  try {
    const { outcome, usage } = await dandori.report(summary.run);
    return { ...summary, status: outcome, usage };
  } catch (error) {
    if (error instanceof DandoriError) return summary;
    throw error;
  }
}

export interface RateOptions {
  readonly config?: string;
  readonly comment?: string;
  readonly user?: string | undefined;
  readonly json?: boolean;
}

const RATINGS: Readonly<Record<string, number>> = { bad: 1, good: 5, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 };

export async function rate(
  { run: name, rating: typed, words }: { run: string; rating: string; words: readonly string[] },
  { user: by, ...options }: RateOptions,
): Promise<number> {
  const rating = Object.hasOwn(RATINGS, typed) ? RATINGS[typed] : undefined;
  if (rating === undefined) {
    throw new DandoriError('usage', `A rating is good, bad or a whole number from 1 to 5, not "${typed}".`, {
      fix: 'Give 5 (good) for a run that was just right, 1 (bad) for one of no use.',
    });
  }
  const comment = options.comment ?? (words.length === 0 ? undefined : words.join(' '));
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.rate(run, { rating, comment, by });
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, rating, comment, by })}\n`);
  else process.stderr.write(`${textsFor({ language: dandori.config.language }).rated(rating)}\n`);
  return 0;
}
