import { renderDiagnostics } from '../config/diagnostics.ts';
import { type PlanFile, readPlanFile } from '../config/plan-file.ts';
import type { Compiled } from '../core/compile.ts';
import { openDandori } from '../dandori.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { estimateLines } from './estimate.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

export interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

/** Of the tasks that one waits for. */
const MAX_SHOWN = 10;

export async function check(file: string, options: CheckOptions): Promise<number> {
  const plan = await readPlanFile(file);
  await using dandori = await openDandori({ configFile: options.config });
  const compiled = await dandori.check(plan.tasks);
  const texts = textsFor({ language: dandori.config.language });
  if (options.json === true) process.stdout.write(`${stringifyJson(asJson(compiled, plan, options))}\n`);
  else if (!compiled.ok) process.stderr.write(`${renderDiagnostics(compiled.diagnostics, plan)}\n`);
  else {
    if (compiled.warnings.length > 0)
      process.stderr.write(`${renderDiagnostics(compiled.warnings, plan, 'warning')}\n`);
    printPlan(compiled, { texts, isExplained: options.explain === true });
  }
  return compiled.ok ? 0 : EXIT_USAGE;
}

/** Reasons only for who asks: where thousands wait for the same thousands, there are millions of them. */
function asJson(compiled: Compiled, { tasks }: PlanFile, { explain }: CheckOptions): object {
  if (!compiled.ok) return compiled;
  const { reasonsOf, estimate, ...rest } = compiled;
  return {
    ...rest,
    estimate: estimate(),
    ...(explain === true && { reasons: Object.fromEntries(tasks.map(({ id }) => [id, reasonsOf(id)])) }),
  };
}

type Accepted = Extract<Compiled, { ok: true }>;

function printPlan(
  { tasks, groups, estimate, reasonsOf }: Accepted,
  { texts, isExplained }: { texts: Texts; isExplained: boolean },
): void {
  const style = styleFor(process.stdout);
  process.stdout.write(`${style.green('✓')} ${texts.planFits(tasks.length)}\n`);
  const members = groups.map((group) => new Set(group));
  const expected = estimate();
  const open = new Set(expected.open);
  for (const task of tasks) {
    const earlier = waitedFor(task, members);
    const after = earlier.count > 0 ? style.dim(` ${texts.after(listed(earlier, texts))}`) : '';
    process.stdout.write(`  ${task.id} ${open.has(task.id) ? texts.openPart : task.effect}${after}\n`);
    if (!isExplained) continue;
    for (const reason of reasonsOf(task.id))
      process.stdout.write(style.dim(`      ${reason.task}: ${reason.text}\n`));
  }
  for (const line of estimateLines(expected, texts, style)) process.stdout.write(`${line}\n`);
}

interface Earlier {
  readonly shown: ReadonlySet<string>;
  readonly count: number;
}

function waitedFor(
  { needs = [], waits = [], waitsForGroups = [] }: Accepted['tasks'][number],
  members: readonly ReadonlySet<string>[],
): Earlier {
  const groups = waitsForGroups.flatMap((number) => members[number] ?? []);
  const single = [...needs, ...waits];
  const alone = single.filter((id) => !groups.some((group) => group.has(id)));
  const shown = new Set(single.slice(0, MAX_SHOWN));
  for (const group of groups) {
    for (const id of group) {
      if (shown.size >= MAX_SHOWN) break;
      shown.add(id);
    }
  }
  return { shown, count: groups.reduce((sum, { size }) => sum + size, alone.length) };
}

function listed({ shown, count }: Earlier, texts: Texts): string {
  const rest = count - shown.size;
  return `${[...shown].join(', ')}${rest > 0 ? ` ${texts.more(rest)}` : ''}`;
}
