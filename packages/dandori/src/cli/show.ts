import { fold } from '../core/apply.ts';
import { duration } from '../core/duration.ts';
import { planTasks } from '../core/plan-tasks.ts';
import { writePlan, writePlanAsJson } from '../core/plan-writer.ts';
import type { Report } from '../core/report.ts';
import type { RunState } from '../core/state.ts';
import type { TornTail } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { announceTorn } from './announce.ts';
import { findRun } from './find-run.ts';
import { openDandori } from './open.ts';
import { planLines } from './plan.ts';
import { noteText } from './progress.ts';
import { printReport } from './report.ts';
import { oneLine, printable, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

export interface ShowOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly plan?: boolean;
}

export async function show(name: string, options: ShowOptions): Promise<number> {
  const torn: TornTail[] = [];
  await using dandori = await openDandori({
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
    printTasks(report, texts);
    for (const note of report.notes ?? []) process.stdout.write(`${oneLine(noteText(note, texts), 200)}\n`);
    for (const line of planLines(report, texts)) process.stdout.write(`${line}\n`);
  }
  printReport(report, { texts, json: options.json, config: options.config });
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

export function printTasks({ goal, outcome, tasks, usage }: Report, texts: Texts): void {
  const style = styleFor(process.stdout);
  const marks: Record<string, string> = {
    succeeded: style.green('✓'),
    failed: style.red('✗'),
    in_doubt: style.yellow('?'),
  };
  process.stdout.write(
    `${style.bold(printable(goal))}\n${texts.summary(outcome, duration(usage.ms), usage.modelCalls)}\n`,
  );
  for (const [id, task] of Object.entries(tasks)) {
    const mark = marks[task.status] ?? style.dim('·');
    const ms = task.ms === null ? '' : style.dim(duration(task.ms));
    const value =
      task.failure?.message ?? (task.blob === undefined ? stringifyJson(task.result) : `${task.blob.head}…`);
    const parts = [mark, id, task.operation, texts.status(task.status), ms, oneLine(value ?? '', 100)];
    process.stdout.write(`${parts.filter((part) => part !== '').join(' ')}\n`);
    for (const call of task.calls ?? []) {
      const line = `${call.operation} ${texts.status(call.status)} ${stringifyJson(call.args)}`;
      process.stdout.write(`    ${marks[call.status] ?? style.dim('·')} ${oneLine(line, 120)}\n`);
    }
  }
}
