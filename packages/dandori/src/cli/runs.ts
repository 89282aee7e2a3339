import type { Dandori, RunSummary } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { openDandori } from './open.ts';
import { oneLine, padded, styleFor } from './style.ts';
import { textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export async function runs(options: { config?: string; json?: boolean; limit: string }): Promise<number> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new DandoriError('usage', `--limit takes a whole number from 1, not "${options.limit}".`);
  }
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const found: RunSummary[] = [];
  for (const one of await dandori.runs({ limit })) found.push(await exactly(one, dandori));
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
  } as Record<string, (text: string) => string>;
  const texts = textsFor({ language: dandori.config.language });
  if (found.length === 0) process.stdout.write(`${asTyped(texts.noRuns, options.config)}\n`);
  for (const { run, goal, status, startedAt } of found) {
    const when = new Date(startedAt).toLocaleString('sv-SE');
    const shown = (paint[status] ?? style.dim)(padded(texts.status(status), 9));
    process.stdout.write(`${run}  ${style.dim(when)}  ${shown}  ${oneLine(goal, 60)}\n`);
  }
  return 0;
}

/** Of a run without an end the last event does not tell whether it is paused, or waits for a person. */
async function exactly(summary: RunSummary, dandori: Dandori): Promise<RunSummary> {
  if (summary.status !== 'open' && summary.status !== 'waiting') return summary;
  try {
    return { ...summary, status: (await dandori.report(summary.run)).outcome };
  } catch (error) {
    if (error instanceof DandoriError) return summary;
    throw error;
  }
}
