import { pathText } from '../config/place.ts';
import type { Lifted } from '../core/lift.ts';
import { writePlan, writePlanAsJson } from '../core/plan-writer.ts';
import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { oneLine, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

/** Of the tasks that are left out. */
const MAX_SHOWN = 100;

/** The plan goes to stdout, in YAML with comments or as JSON; what a reader must know goes to stderr too. */
export async function lift(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const lifted = await dandori.lift(await findRun(name, dandori));
  if (lifted.tasks.length === 0) {
    throw new DandoriError('usage', `No task of the run ${lifted.run} has succeeded.`, {
      fix: `A plan is lifted from what was done: see it with \`dandori show ${lifted.run}\`.`,
    });
  }
  const texts = textsFor({ language: dandori.config.language, goal: lifted.goal });
  const remarks = remarksOn(lifted, texts);
  if (options.json === true) process.stdout.write(`${writePlanAsJson(lifted)}\n`);
  else {
    const head = [texts.lifted.from(lifted.run, lifted.outcome), ...remarks];
    process.stdout.write(writePlan(lifted, { head, of: (task) => commentsOn(task, lifted, texts) }));
    return 0;
  }
  for (const remark of remarks) process.stderr.write(`${styleFor(process.stderr).yellow('!')} ${remark}\n`);
  return 0;
}

function remarksOn({ inferred, left, redacted, unread }: Lifted, { lifted: texts, more }: Texts): string[] {
  return [
    ...(inferred.length > 0 ? [texts.inferred(inferred.length)] : []),
    ...left
      .slice(0, MAX_SHOWN)
      .map(({ task, operation, reason }) => texts.left(task, operation, oneLine(reason, 200))),
    ...(left.length > MAX_SHOWN ? [more(left.length - MAX_SHOWN)] : []),
    ...(redacted.length > 0 ? [texts.redacted(redacted.join(', '))] : []),
    ...(unread.length > 0 ? [texts.unread(unread.join(', '))] : []),
  ];
}

function commentsOn(task: string, { inferred }: Lifted, { lifted: texts }: Texts): string[] {
  return inferred
    .filter((one) => one.task === task)
    .map(({ path, ref, value }) => texts.was(pathText(path), ref, oneLine(stringifyJson(value), 80)));
}
