import type { RunClient, TornTail } from '../../app/index.ts';
import {
  type HistoryEntry,
  type PlanHistory,
  type ProposedEntry,
  writeHistoryLines,
} from '../../history/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { isStep, workOf } from '../../model/task.ts';
import { writePlan, writePlanAsJson } from '../../plan/write.ts';
import { fold } from '../../run/state/apply.ts';
import type { RunState } from '../../run/state/state.ts';
import { planTasks, type StepView } from '../../views/plan.ts';
import { durationText, type Report } from '../../views/report.ts';
import { announceTorn } from '../announce.ts';
import { asTyped } from '../command-line.ts';
import { showPictures } from '../pictures.ts';
import { printReport, usedText } from '../print-report.ts';
import { noteText } from '../progress.ts';
import { oneLine, printable, type Style, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { findRun, openWorkplace, shownStatus } from '../workplace.ts';

export interface ShowOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly plan?: boolean;
}

export async function show(name: string, options: ShowOptions): Promise<number> {
  const torn: TornTail[] = [];
  await using dandori = await openWorkplace({
    configFile: options.config,
    tools: false,
    onTorn: (tail) => torn.push(tail),
  });
  const run = await findRun(name, dandori);
  if (options.plan === true) return showPlan(fold(await dandori.events(run)), options);
  const report = await dandori.report(run);
  const texts = textsFor({ language: dandori.config.language, goal: report.goal });
  for (const tail of torn) announceTorn(tail, texts);
  if (options.json !== true) {
    const status = await shownStatus({ run, status: report.outcome }, dandori);
    printTasks(report, texts, { goals: await subGoalsOf(report, dandori), status });
    if (status === 'interrupted') process.stderr.write(`${asTyped(texts.resumeWith(run), options.config)}\n`);
    for (const note of report.notes ?? []) process.stdout.write(`${oneLine(noteText(note, texts), 200)}\n`);
    for (const line of planLines(report, texts)) process.stdout.write(`${line}\n`);
  }
  printReport(report, { texts, json: options.json, config: options.config });
  if (options.json !== true) await showPictures(run, dandori);
  return 0;
}

function showPlan(state: RunState | undefined, { json }: ShowOptions): number {
  const tasks = state === undefined ? [] : planTasks(state);
  if (state === undefined || tasks.length === 0)
    throw new DandoriError('usage', `The run ${state?.run ?? ''} has no plan.`, {
      fix: 'It may have been answered without one, or has not been driven yet: see it without --plan.',
    });
  const plan = { goal: state.goal, tasks };
  process.stdout.write(json === true ? `${writePlanAsJson(plan)}\n` : writePlan(plan));
  return 0;
}

/** The reports of the sub-goals by run, and of theirs. One that was pruned is left out. */
async function subGoalsOf(
  { tasks }: Report,
  dandori: Pick<RunClient, 'report'>,
  found = new Map<string, Report>(),
): Promise<ReadonlyMap<string, Report>> {
  for (const { run } of Object.values(tasks)) {
    if (run === undefined || found.has(run)) continue;
    try {
      const report = await dandori.report(run);
      found.set(run, report);
      await subGoalsOf(report, dandori, found);
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
    }
  }
  return found;
}

export function printTasks(
  report: Report,
  texts: Texts,
  {
    goals = new Map(),
    indent = '',
    status = report.outcome,
  }: {
    readonly goals?: ReadonlyMap<string, Report>;
    readonly indent?: string;
    readonly status?: Report['outcome'] | 'interrupted';
  } = {},
): void {
  const { goal, tasks, usage } = report;
  const statusText = (one: Report['tasks'][string]['status']) =>
    texts.words.statuses[one === 'running' && status === 'interrupted' ? status : one];
  const style = styleFor(process.stdout);
  const marks: Record<string, string> = {
    succeeded: style.green('✓'),
    failed: style.red('✗'),
    in_doubt: style.yellow('?'),
  };
  process.stdout.write(
    `${indent}${style.bold(printable(goal))}\n${indent}${texts.summary(status, usedText(usage, texts))}\n`,
  );
  for (const [id, task] of Object.entries(tasks)) {
    const mark = marks[task.status] ?? style.dim('·');
    const ms = task.ms === null ? '' : style.dim(durationText(task.ms));
    const value =
      (task.failure && texts.message(task.failure.message)) ??
      (task.blob === undefined ? stringifyJson(task.result) : `${task.blob.head}…`);
    const parts = [mark, id, task.operation, statusText(task.status), ms, oneLine(value ?? '', 100)];
    process.stdout.write(`${indent}${parts.filter((part) => part !== '').join(' ')}\n`);
    for (const call of task.calls ?? []) {
      const line = `${call.operation} ${statusText(call.status)} ${stringifyJson(call.args)}`;
      process.stdout.write(`${indent}    ${marks[call.status] ?? style.dim('·')} ${oneLine(line, 120)}\n`);
    }
    const sub = goals.get(task.run ?? '');
    if (sub !== undefined) {
      const subStatus = status === 'interrupted' && sub.outcome === 'open' ? status : sub.outcome;
      printTasks(sub, texts, { goals, indent: `${indent}    `, status: subStatus });
    }
  }
}

/** A plan without its tasks: the objective, the steps, the reflections and the revisions. */
export function planLines({ plan }: Report, texts: Texts): string[] {
  if (plan === undefined) return [];
  const style = styleFor(process.stdout);
  const list = (title: string, lines: readonly string[] = []) =>
    lines.length === 0 ? [] : [texts.labelled(title), ...lines.map((line) => `  - ${oneLine(line, 160)}`)];
  const done = plan.steps.filter(({ status }) => status === 'completed').length;
  return [
    ...list(texts.objective, plan.objective === undefined ? [] : [plan.objective]),
    ...list(texts.criteria, plan.successCriteria),
    ...list(texts.constraints, plan.constraints),
    ...(plan.steps.length > 0 ? [texts.stepsDone(done, plan.steps.length)] : []),
    ...plan.steps.map((step) => stepLine(step, style)),
    ...list(
      texts.revisionsMade,
      plan.revisions.map(({ reason, changes }) => texts.history.changed(reason, changesText(changes, texts))),
    ),
    ...list(
      texts.reflectionsMade,
      plan.reflections.map(({ status, evaluation }) =>
        [texts.words.reflections[status], evaluation].filter(Boolean).join(' · '),
      ),
    ),
  ];
}

function stepLine({ id, description, status, tasks }: StepView, style: Style): string {
  const marks = { completed: style.green('✓'), failed: style.red('✗') };
  const mark = status === 'completed' || status === 'failed' ? marks[status] : style.dim('·');
  const names = tasks.length === 0 ? '' : ` ${style.dim(tasks.join(', '))}`;
  return `${mark} ${id} ${oneLine(description, 100)}${names}`;
}

/** The most tasks to show of one plan. `--json` has all of them. */
const MAX_SHOWN = 20;

export interface HistoryOptions {
  readonly config?: string;
  readonly json?: boolean;
  /** In the documented line format instead of one JSON object. */
  readonly lines?: boolean;
}

export async function history(name: string, options: HistoryOptions): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const run = await findRun(name, dandori);
  if (options.lines === true) {
    process.stdout.write(writeHistoryLines(await dandori.historyLines(run)));
    return 0;
  }
  const found = await dandori.history(run);
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
            texts.history.now(texts.history.version(plan.version), texts.words.statuses[plan.status]),
          ),
        ]),
    ...taskLines(tasks, texts),
  ];
}

function changesText(
  changes: readonly { readonly kind: keyof Texts['words']['changes']; readonly task?: string | undefined }[],
  { words, comma }: Texts,
): string {
  return changes
    .map(({ kind, task }) =>
      [words.changes[kind].toLowerCase(), task].filter((part) => part !== undefined).join(' '),
    )
    .join(comma);
}

function entryLines(entry: HistoryEntry, texts: Texts, style: Style): string[] {
  const when = style.dim(
    `${String(entry.seq).padStart(4)} ${new Date(entry.at).toISOString().slice(11, 23)}`,
  );
  if (entry.kind === 'reflected') {
    const { trigger, status, evaluation } = entry;
    const head = `${when} ${texts.history.reflected(trigger, status)}`;
    return [evaluation === '' ? head : `${head} · ${oneLine(evaluation, 160)}`];
  }
  const { version, by, revision, diagnostics = [], reason, tasks } = entry;
  const head = `${when} ${texts.history.version(version)} ${texts.history.by[by]}${texts.comma}${texts.history[verdictOf(entry)]}`;
  return [
    revision === undefined
      ? head
      : texts.labelled(
          head,
          texts.history.changed(oneLine(revision.reason, 160), changesText(revision.changes, texts)),
        ),
    ...taskLines(tasks, texts),
    ...(reason === undefined ? [] : [`       ${style.yellow(oneLine(texts.vetoed(reason), 160))}`]),
    ...diagnostics.map(
      ({ code, message }) => `       ${style.red(code)} ${oneLine(texts.message(message), 160)}`,
    ),
  ];
}

function verdictOf({ isAccepted, isReplaced }: ProposedEntry): 'accepted' | 'rejected' | 'replaced' | 'open' {
  if (isAccepted !== undefined) return isAccepted ? 'accepted' : 'rejected';
  return isReplaced === true ? 'replaced' : 'open';
}

function taskLines(tasks: PlanHistory['tasks'], { more }: Texts): string[] {
  const lines = tasks.slice(0, MAX_SHOWN).map((task) => {
    const args = isStep(task) ? '' : oneLine(stringifyJson(task.args), 100);
    return `       ${task.id} ${oneLine(workOf(task), 100)} ${args}`.trimEnd();
  });
  return tasks.length > MAX_SHOWN ? [...lines, `       ${more(tasks.length - MAX_SHOWN)}`] : lines;
}
