import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export async function pause(
  name: string,
  options: { config?: string; reason?: string; json?: boolean; user?: string },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.pause(run, { reason: options.reason, by: options.user });
  const texts = textsFor({ language: dandori.config.language });
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, paused: true })}\n`);
  else process.stderr.write(`${texts.pauseNoted}\n${asTyped(texts.resumeWith(run), options.config)}\n`);
  return 0;
}
