import type { HistoryEntry, PlanHistory, ProposedEntry } from '../core/history.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { oneLine, type Style, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

/** Of one plan; all of them are in `--json`. */
const MAX_SHOWN = 20;

export async function history(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  await using dandori = await openDandori({ configFile: options.config, tools: false });
  const found = await dandori.history(await findRun(name, dandori));
  const texts = textsFor({ language: dandori.config.language, goal: found.goal });
  if (options.json === true) process.stdout.write(`${stringifyJson(found)}\n`);
  else for (const line of linesOf(found, texts)) process.stdout.write(`${line}\n`);
  return 0;
}

function linesOf({ goal, plan, tasks, entries }: PlanHistory, texts: Texts): string[] {
  const style = styleFor(process.stdout);
  const title = style.bold(oneLine(goal, 160));
  if (entries.length === 0) return [title, texts.history.none];
  return [
    title,
    ...entries.flatMap((entry) => entryLines(entry, texts, style)),
    ...(plan === undefined
      ? []
      : [
          style.bold(
            `${texts.history.now} (${texts.history.version(plan.version)}, ${texts.status(plan.status)})`,
          ),
        ]),
    ...taskLines(tasks, texts),
  ];
}

function entryLines(entry: HistoryEntry, texts: Texts, style: Style): string[] {
  const when = style.dim(
    `${String(entry.seq).padStart(4)} ${new Date(entry.at).toISOString().slice(11, 23)}`,
  );
  if (entry.kind === 'reflected') {
    const { trigger, status, evaluation } = entry;
    const head = `${when} ${texts.history.reflected} (${trigger}, ${status})`;
    return [evaluation === '' ? head : `${head}: ${oneLine(evaluation, 160)}`];
  }
  const { version, by, revision, diagnostics = [], reason, tasks } = entry;
  const head = `${when} ${texts.history.version(version)} ${texts.history.by[by]}, ${texts.history[verdictOf(entry)]}`;
  const changes = revision?.changes.map(({ kind, task }) => [kind, task].filter(Boolean).join(' '));
  return [
    revision === undefined ? head : `${head}: ${oneLine(revision.reason, 160)} (${changes?.join(', ')})`,
    ...taskLines(tasks, texts),
    ...(reason === undefined ? [] : [`       ${style.yellow(oneLine(texts.vetoed(reason), 160))}`]),
    ...diagnostics.map(({ code, message }) => `       ${style.red(code)} ${oneLine(message, 160)}`),
  ];
}

function verdictOf({ isAccepted, isReplaced }: ProposedEntry): 'accepted' | 'rejected' | 'replaced' | 'open' {
  if (isAccepted !== undefined) return isAccepted ? 'accepted' : 'rejected';
  return isReplaced === true ? 'replaced' : 'open';
}

function taskLines(tasks: PlanHistory['tasks'], { more }: Texts): string[] {
  const lines = tasks
    .slice(0, MAX_SHOWN)
    .map(({ id, operation, args }) => `       ${id} ${operation} ${oneLine(stringifyJson(args), 100)}`);
  return tasks.length > MAX_SHOWN ? [...lines, `       ${more(tasks.length - MAX_SHOWN)}`] : lines;
}
