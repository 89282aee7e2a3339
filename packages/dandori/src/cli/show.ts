import type { Report } from '../core/report.ts';
import { openDandori, type TornTail } from '../dandori.ts';
import { announceTorn } from './announce.ts';
import { findRun } from './find-run.ts';
import { printReport } from './report.ts';
import { duration, oneLine, printable, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

export async function show(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  const torn: TornTail[] = [];
  await using dandori = await openDandori({
    configFile: options.config,
    tools: false,
    onTorn: (tail) => torn.push(tail),
  });
  const report = await dandori.report(await findRun(name, dandori));
  const texts = textsFor({ language: dandori.config.language, goal: report.goal });
  for (const tail of torn) announceTorn(tail, texts);
  if (options.json !== true) printTasks(report, texts);
  printReport(report, { texts, json: options.json, config: options.config });
  return 0;
}

function printTasks({ goal, outcome, tasks, usage }: Report, texts: Texts): void {
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
      task.failure?.message ?? (task.blob === undefined ? JSON.stringify(task.result) : `${task.blob.head}…`);
    process.stdout.write(
      `${mark} ${id} ${task.operation} ${task.status} ${ms} ${oneLine(value ?? '', 100)}\n`,
    );
  }
}
