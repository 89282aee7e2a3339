import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { asTyped } from '../command-line.ts';
import { textsFor } from '../texts.ts';
import { findRun, openWorkplace } from '../workplace.ts';

export async function note(
  { run: name, text }: { run: string; text: string },
  options: { config?: string; json?: boolean; user?: string },
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.tell(run, text, { by: options.user });
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, note: text })}\n`);
  else process.stderr.write(`${textsFor({ language: dandori.config.language }).told}\n`);
  return 0;
}

export async function pause(
  name: string,
  options: { config?: string; reason?: string; json?: boolean; user?: string },
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.pause(run, { reason: options.reason, by: options.user });
  const texts = textsFor({ language: dandori.config.language });
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, paused: true })}\n`);
  else process.stderr.write(`${texts.pauseNoted}\n${asTyped(texts.resumeWith(run), options.config)}\n`);
  return 0;
}

/** If another process drives the run, that process ends it. Otherwise the run is driven to its end here. */
export async function cancel(
  name: string,
  options: { config?: string; reason?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
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
