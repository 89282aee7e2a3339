import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export interface RejectOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly user?: string;
  readonly reason?: string;
}

/** A no to a call or a plan that waits; the mind is told why. */
export async function reject(
  { run: name, question }: { run: string; question?: string | undefined },
  { config, json, user, reason }: RejectOptions,
): Promise<number> {
  await using dandori = await openDandori({ configFile: config, tools: false });
  const run = await findRun(name, dandori);
  const { goal } = await dandori.report(run);
  const texts = textsFor({ language: dandori.config.language, goal });
  const answered = await dandori.reject(run, question, { by: user, reason });
  if (json === true) process.stdout.write(`${stringifyJson({ run, question: answered, approved: false })}\n`);
  else
    process.stderr.write(
      `${texts.plans.rejected(answered)}\n${asTyped(texts.resumeUndriven(run), config)}\n`,
    );
  return 0;
}
