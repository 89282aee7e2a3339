import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';

/** Where a driver is at work it does the rest; a run that nobody drives is brought to its end here. */
export async function cancel(
  name: string,
  options: { config?: string; reason?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  const { goal } = await dandori.report(run);
  const texts = textsFor({ language: dandori.config.language, goal });
  await dandori.cancel(run, options.reason ?? texts.cancelReason);
  try {
    await dandori.drive(run);
  } catch (error) {
    if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
  }
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, cancelled: true })}\n`);
  else process.stderr.write(`${texts.cancelNoted}\n`);
  return 0;
}
