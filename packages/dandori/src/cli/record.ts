import { writeYaml } from '../core/plan-writer.ts';
import type { Json } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { styleFor } from './style.ts';
import { textsFor } from './texts.ts';

/** The test goes to stdout; what a reader must know goes to stderr, and into the comments. */
export async function record(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config });
  const run = await findRun(name, dandori);
  const recorded = await dandori.record(run);
  const { recorded: texts } = textsFor({ language: dandori.config.language, goal: recorded.case.goal });
  const remarks = [
    ...(recorded.inexact.length > 0 ? [texts.inexact(recorded.inexact.join(', '))] : []),
    ...(recorded.unknown.length > 0 ? [texts.unknown(recorded.unknown.join(', '))] : []),
  ];
  const value = recorded.case as unknown as Json;
  process.stdout.write(
    options.json === true ? `${stringifyJson(value)}\n` : writeYaml(value, [texts.from(run), ...remarks]),
  );
  for (const remark of remarks) process.stderr.write(`${styleFor(process.stderr).yellow('!')} ${remark}\n`);
  return 0;
}
