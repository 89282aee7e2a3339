import { confirm, isCancel } from '@clack/prompts';
import { milliseconds } from '../config/duration.ts';
import { openDandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Pruned } from '../engine/prune.ts';
import { printable, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

const MAX_SHOWN = 20;

export interface PruneOptions {
  readonly config?: string;
  readonly olderThan: string;
  readonly keepFailed?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** What is removed is gone for good, so a person at the terminal sees it first and is asked. */
export async function prune({ keepFailed, dryRun = false, ...options }: PruneOptions): Promise<number> {
  const olderThan = spanOf(options.olderThan);
  const isAsked = !dryRun && options.yes !== true;
  if (isAsked && !canAsk(options)) {
    throw new DandoriError('usage', 'Nobody can be asked here whether to remove runs.', {
      fix: 'Give --yes to remove them, or --dry-run to see which they are.',
    });
  }
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const texts = textsFor({ language: dandori.config.language });
  if (isAsked) {
    const found = await dandori.prune({ olderThan, keepFailed, dryRun: true });
    for (const line of linesOf(found, texts)) process.stderr.write(`${line}\n`);
    if (found.runs.length + found.blobs.count === 0) return 0;
    const isWanted = await confirm({
      message: texts.pruned.confirm,
      active: texts.pruned.yes,
      inactive: texts.pruned.no,
      output: process.stderr,
      initialValue: false,
    });
    if (isCancel(isWanted) || !isWanted) {
      process.stderr.write(`${texts.pruned.kept}\n`);
      return 0;
    }
  }
  const pruned = await dandori.prune({ olderThan, keepFailed, dryRun });
  if (options.json === true) process.stdout.write(`${stringifyJson(pruned)}\n`);
  else for (const line of linesOf(pruned, texts)) process.stdout.write(`${line}\n`);
  return 0;
}

function spanOf(text: string): number {
  const span = milliseconds(text);
  if (span !== undefined) return span;
  throw new DandoriError('usage', `--older-than takes a duration, not "${text}".`, {
    fix: 'Write a number with a unit: 30d, 12h or 90m.',
  });
}

function canAsk({ json }: { json?: boolean }): boolean {
  return json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

function linesOf({ runs, blobs, bytes, left, dryRun }: Pruned, { pruned: texts, more }: Texts): string[] {
  const style = styleFor(process.stdout);
  const summary = dryRun ? texts.wouldRemove : texts.removed;
  const size = texts.bytes(bytes.toLocaleString('en'));
  const isEmpty = runs.length + blobs.count === 0;
  return [
    ...runs.slice(0, MAX_SHOWN).map(({ run, outcome, lastAt, bytes: own }) => {
      const when = new Date(lastAt).toLocaleString('sv-SE');
      return `${run}  ${style.dim(when)}  ${outcome}  ${texts.bytes(own.toLocaleString('en'))}`;
    }),
    ...(runs.length > MAX_SHOWN ? [more(runs.length - MAX_SHOWN)] : []),
    isEmpty ? texts.nothing : style.bold(summary(runs.length, blobs.count, size)),
    ...left.map(
      ({ run, reason, message }) => `${style.yellow(texts.left[reason])}: ${run}  ${printable(message)}`,
    ),
    ...(left.some(({ reason }) => reason === 'damaged') ? [texts.blobsLeft] : []),
  ];
}
