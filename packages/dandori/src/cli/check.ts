import { renderDiagnostics } from '../config/diagnostics.ts';
import { type PlanFile, readPlanFile } from '../config/plan-file.ts';
import type { Compiled } from '../core/compile.ts';
import type { Estimate } from '../core/estimate.ts';
import { openDandori } from '../dandori.ts';
import { EXIT_USAGE } from './exit-code.ts';
import { duration, type Style, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

export interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
}

export async function check(file: string, options: CheckOptions): Promise<number> {
  const plan = await readPlanFile(file);
  await using dandori = await openDandori({ configFile: options.config });
  const compiled = await dandori.check(plan.tasks);
  const texts = textsFor({ language: dandori.config.language });
  if (options.json === true) process.stdout.write(`${JSON.stringify(asJson(compiled, plan))}\n`);
  else if (!compiled.ok) process.stderr.write(`${renderDiagnostics(compiled.diagnostics, plan)}\n`);
  else {
    if (compiled.warnings.length > 0)
      process.stderr.write(`${renderDiagnostics(compiled.warnings, plan, 'warning')}\n`);
    printPlan(compiled, { texts, isExplained: options.explain === true });
  }
  return compiled.ok ? 0 : EXIT_USAGE;
}

function asJson(compiled: Compiled, { tasks }: PlanFile): object {
  if (!compiled.ok) return compiled;
  const { reasonsOf, estimate, ...rest } = compiled;
  return {
    ...rest,
    estimate: estimate(),
    reasons: Object.fromEntries(tasks.map(({ id }) => [id, reasonsOf(id)])),
  };
}

type Accepted = Extract<Compiled, { ok: true }>;

function printPlan(
  { tasks, estimate, reasonsOf }: Accepted,
  { texts, isExplained }: { texts: Texts; isExplained: boolean },
): void {
  const style = styleFor(process.stdout);
  process.stdout.write(`${style.green('✓')} ${texts.planFits(tasks.length)}\n`);
  for (const { id, effect } of tasks) {
    const reasons = reasonsOf(id);
    const after = reasons.length > 0 ? style.dim(` after ${reasons.map(({ task }) => task).join(', ')}`) : '';
    process.stdout.write(`  ${id} ${effect}${after}\n`);
    if (!isExplained) continue;
    for (const { task, text } of reasons) process.stdout.write(style.dim(`      ${task}: ${text}\n`));
  }
  for (const line of estimateLines(estimate(), style)) process.stdout.write(`${line}\n`);
}

/** What it will take: the same lines for `check` and for whoever is asked to approve. */
function estimateLines(estimate: Estimate, style: Style): string[] {
  const { calls, reads, writes, irreversible, criticalPath, expectedMs, worstMs, cost, worstCost } = estimate;
  const times = [
    expectedMs === undefined ? undefined : `expected ${duration(expectedMs)}`,
    worstMs === undefined ? undefined : `at worst ${duration(worstMs)}`,
  ].filter((text) => text !== undefined);
  return [
    `${calls} calls: ${reads} reads, ${writes} writes`,
    ...(irreversible.length > 0 ? [style.red(`irreversible: ${irreversible.join(', ')}`)] : []),
    `longest path: ${criticalPath.join(' → ')}${times.length > 0 ? ` (${times.join(', ')})` : ''}`,
    ...(worstCost > 0 ? [`cost: $${cost}, at worst $${worstCost}`] : []),
  ];
}
