import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';

export async function tell(
  { run: name, text }: { run: string; text: string },
  options: { config?: string; json?: boolean; user?: string },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  await dandori.tell(run, text, { by: options.user });
  if (options.json === true) process.stdout.write(`${stringifyJson({ run, note: text })}\n`);
  else process.stderr.write(`${textsFor({ language: dandori.config.language }).told}\n`);
  return 0;
}
