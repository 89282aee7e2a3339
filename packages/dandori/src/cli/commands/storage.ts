import { confirm, isCancel } from '@clack/prompts';
import { type Copied, copyBetween, migrateStore, openRuntime } from '../../app/index.ts';
import type { Pruned } from '../../commands/index.ts';
import { loadConfig } from '../../config/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { durationIn } from '../command-line.ts';
import { printable, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';

const MOST_RUNS = 20;

export interface PruneOptions {
  readonly config?: string;
  readonly olderThan: string;
  readonly keepFailed?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** Removal is permanent, so a user at a terminal sees the list first and must confirm. */
export async function prune({ keepFailed, dryRun = false, ...options }: PruneOptions): Promise<number> {
  const olderThan = durationIn('--older-than', options.olderThan);
  const isAsked = !dryRun && options.yes !== true;
  if (isAsked && !canAskToPrune(options)) {
    throw new DandoriError('usage', 'Removing runs needs a confirmation, and this is not a terminal.', {
      fix: 'Give --yes to remove them, or --dry-run to see which they are.',
    });
  }
  await using dandori = await openRuntime({ configFile: options.config, tools: false });
  const texts = textsFor({ language: dandori.config.language });
  if (isAsked) {
    const found = await dandori.prune({ olderThan, keepFailed, dryRun: true });
    for (const line of pruneLines(found, texts)) process.stderr.write(`${line}\n`);
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
  else for (const line of pruneLines(pruned, texts)) process.stdout.write(`${line}\n`);
  return 0;
}

function canAskToPrune({ json }: { json?: boolean }): boolean {
  return json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

function pruneLines({ runs, blobs, bytes, left, dryRun }: Pruned, { pruned: texts, more }: Texts): string[] {
  const style = styleFor(process.stdout);
  const summary = dryRun ? texts.wouldRemove : texts.removed;
  const size = texts.bytes(bytes.toLocaleString('en'));
  const isEmpty = runs.length + blobs.count === 0;
  return [
    ...runs.slice(0, MOST_RUNS).map(({ run, outcome, lastAt, bytes: own }) => {
      const when = new Date(lastAt).toLocaleString('sv-SE');
      return `${run}  ${style.dim(when)}  ${outcome}  ${texts.bytes(own.toLocaleString('en'))}`;
    }),
    ...(runs.length > MOST_RUNS ? [more(runs.length - MOST_RUNS)] : []),
    isEmpty ? texts.nothing : style.bold(summary(runs.length, blobs.count, size)),
    ...left.map(
      ({ run, reason, message }) => `${style.yellow(texts.left[reason])}: ${run}  ${printable(message)}`,
    ),
    ...(left.some(({ reason }) => reason === 'damaged') ? [texts.blobsLeft] : []),
  ];
}

/** Brings the tables of the configured database up to date. */
export async function migrate(options: { config?: string; json?: boolean }): Promise<number> {
  const config = await loadConfig({
    file: options.config,
    cwd: process.cwd(),
    env: process.env,
    use: 'read',
  });
  const { from, to } = await migrateStore(config);
  const line = options.json === true ? stringifyJson({ from, to }) : textsFor(config).migrated(from, to);
  process.stdout.write(`${line}\n`);
  return 0;
}

export interface StoreOptions {
  readonly config?: string;
  readonly run?: string;
  readonly json?: boolean;
}

/** Returns 0 if everything is in the other store, and 1 if something was left behind. */
export async function store(
  { action, stores }: { readonly action: string; readonly stores: readonly string[] },
  options: StoreOptions,
): Promise<number> {
  const [from, to, ...more] = stores;
  if (action === 'migrate' && from === undefined) return migrate(options);
  if (action !== 'copy' || from === undefined || to === undefined || more.length > 0)
    throw new DandoriError('usage', 'Write `dandori store copy FROM TO` or `dandori store migrate`.', {
      fix: 'A store is a folder, a dandori.yaml, or the address of a database.',
    });
  const texts = textsFor({});
  const isShown = options.json !== true && process.stderr.isTTY === true;
  const show = (text: string) => isShown && process.stderr.write(`\r\u001b[K${text}`);
  const copied = await copyBetween(from, to, {
    run: options.run,
    onProgress: (done, total) => show(texts.copied.progress(done, total)),
  });
  show('');
  if (options.json === true) process.stdout.write(`${stringifyJson(copied)}\n`);
  else for (const line of copyLines(copied, texts)) process.stdout.write(`${line}\n`);
  if (options.json !== true && copied.unfinished > 0)
    process.stderr.write(
      `${styleFor(process.stderr).yellow('!')} ${texts.copied.unfinished(copied.unfinished)}\n`,
    );
  return copied.left.length === 0 ? 0 : 1;
}

function copyLines(copied: Copied, { copied: texts, message }: Texts): string[] {
  const style = styleFor(process.stdout);
  const size = texts.bytes(copied.bytes.toLocaleString('en'));
  const isNothing = copied.runs.copied + copied.conversations.copied === 0;
  return [
    ...copied.left.map(
      ({ id, reason, message: why }) =>
        `${style.yellow(texts.left[reason])}: ${id}  ${printable(message(why))}`,
    ),
    style.bold(
      isNothing
        ? texts.nothing
        : texts.copied(copied.runs.copied, copied.conversations.copied, copied.blobs, size),
    ),
    ...(copied.runs.same + copied.conversations.same === 0
      ? []
      : [texts.same(copied.runs.same, copied.conversations.same)]),
  ];
}
