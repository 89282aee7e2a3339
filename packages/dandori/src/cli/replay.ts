import { stringifyJson } from '../domain/json-text.ts';
import type { Difference, Replayed } from '../engine/replay.ts';
import { findRun } from './find-run.ts';
import { eventNumber } from './number.ts';
import { openDandori } from './open.ts';
import { printTasks } from './show.ts';
import { oneLine, type Style, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

const MAX_SHOWN = 50;

/** 0 where it is proved, 1 where something is not as it must be or cannot be proved. */
export async function replay(
  name: string,
  options: { config?: string; json?: boolean; to?: string },
): Promise<number> {
  const to = eventNumber('--to', options.to);
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  const replayed = await dandori.replay(run, to === undefined ? {} : { to });
  const texts = textsFor({ language: dandori.config.language, goal: replayed.report.goal });
  if (options.json === true) process.stdout.write(`${stringifyJson(replayed)}\n`);
  else {
    if (to !== undefined) {
      printTasks(replayed.report, texts);
      process.stdout.write(`${texts.replayed.upTo(replayed.seq, replayed.events)}\n`);
    }
    for (const line of linesOf(replayed, texts)) process.stdout.write(`${line}\n`);
  }
  return replayed.isProved ? 0 : 1;
}

function linesOf(replayed: Replayed, { replayed: texts, more }: Texts): string[] {
  const { isProved, seq, derived, taken, differences, unproved } = replayed;
  const style = styleFor(process.stdout);
  if (isProved) return [style.green(texts.proved(seq, derived, taken))];
  const list = (found: readonly Difference[], title: string) => [
    ...(found.length > 0 ? [style.red(title)] : []),
    ...found.slice(0, MAX_SHOWN).map((difference) => lineOf(difference, style)),
    ...(found.length > MAX_SHOWN ? [more(found.length - MAX_SHOWN)] : []),
  ];
  return [
    ...list(differences, texts.differs(differences.length)),
    ...list(unproved, texts.unproved(unproved.length)),
  ];
}

function lineOf({ seq, type, message }: Difference, style: Style): string {
  return `${style.dim(String(seq).padStart(4))} ${style.bold(type)} ${oneLine(message, 400)}`;
}
