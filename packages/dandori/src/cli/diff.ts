import type { RunDiff, RunDifference } from '../core/run-diff.ts';
import type { Json } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { oneLine, type Style, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

/** 0 where they are the same, 1 where they differ, like diff(1). */
export async function diff(
  [left, right]: readonly [string, string],
  options: { config?: string; json?: boolean },
): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const found = await dandori.diff(await findRun(left, dandori), await findRun(right, dandori));
  const { goal } = await dandori.report(found.left);
  const texts = textsFor({ language: dandori.config.language, goal });
  if (options.json === true) process.stdout.write(`${stringifyJson(found)}\n`);
  else for (const line of linesOf(found, texts)) process.stdout.write(`${line}\n`);
  return found.isSame ? 0 : 1;
}

function linesOf({ left, right, commonSeq, isSame, differences }: RunDiff, texts: Texts): string[] {
  const style = styleFor(process.stdout);
  return [
    `${style.red('-')} ${left}`,
    `${style.green('+')} ${right}`,
    ...(commonSeq === undefined ? [] : [texts.differing.common(commonSeq)]),
    ...differences.flatMap((difference) => differenceLines(difference, texts, style)),
    ...(isSame ? [texts.differing.same] : []),
  ];
}

function differenceLines({ kind, what, left, right }: RunDifference, texts: Texts, style: Style): string[] {
  const name = texts.differing.kinds[kind];
  return [
    style.bold(kind === 'goal' || kind === 'answer' || kind === 'time' ? name : `${name} ${what}`),
    ...(left === undefined ? [] : [style.red(`  - ${shown(left)}`)]),
    ...(right === undefined ? [] : [style.green(`  + ${shown(right)}`)]),
  ];
}

function shown(value: Json): string {
  return oneLine(typeof value === 'string' ? value : stringifyJson(value), 400);
}
