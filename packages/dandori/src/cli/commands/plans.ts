import { openRuntime } from '../../app/index.ts';
import { pathText } from '../../documents/place.ts';
import type { Lifted } from '../../history/index.ts';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Compiled } from '../../plan/compile.ts';
import { type PlanFile, readPlanFile, renderDiagnostics } from '../../plan/read.ts';
import { writePlan, writePlanAsJson } from '../../plan/write.ts';
import { planTrust } from '../../views/trust-report.ts';
import { EXIT_USAGE } from '../exit-code.ts';
import { withPages } from '../print-error.ts';
import { estimateLines } from '../print-report.ts';
import { oneLine, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { findRun, openWorkplace } from '../workplace.ts';
import { deploymentLines } from './deployment-warnings.ts';
import { printPlanTrust } from './trust.ts';

export interface CheckOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly trust?: boolean;
}

/** The most tasks to list that a task waits for. */
const MOST_EARLIER = 10;

export async function check(file: string, options: CheckOptions): Promise<number> {
  const plan = await readPlanFile(file);
  await using dandori = await openRuntime({ configFile: options.config });
  const compiled = await dandori.check(plan.tasks);
  const texts = textsFor({ language: dandori.config.language });
  const { trust } = dandori.config.settings;
  const asked = options.trust === true ? planTrust(plan.tasks, { tools: dandori.tools(), trust }) : undefined;
  if (options.json === true)
    process.stdout.write(
      `${stringifyJson({ ...asJson(compiled, plan, options), ...(asked && { trust: asked }) })}\n`,
    );
  else if (!compiled.ok)
    process.stderr.write(`${withPages(texts.message(renderDiagnostics(compiled.diagnostics, plan)))}\n`);
  else {
    if (compiled.warnings.length > 0)
      process.stderr.write(
        `${withPages(texts.message(renderDiagnostics(compiled.warnings, plan, 'warning')))}\n`,
      );
    const deployed = { ...dandori, tools: dandori.tools().values() };
    for (const line of await deploymentLines(deployed, texts)) process.stderr.write(`${line}\n`);
    printPlan(compiled, { texts, isExplained: options.explain === true });
    if (asked !== undefined) printPlanTrust(asked, texts);
  }
  return compiled.ok ? 0 : EXIT_USAGE;
}

/**
 * Reasons are included only with `--explain`. If thousands of tasks wait for thousands, there are millions of
 * them.
 */
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
    process.stdout.write(
      `  ${task.id} ${open.has(task.id) ? texts.openPart : texts.effect(task.effect)}${after}\n`,
    );
    if (!isExplained) continue;
    for (const reason of reasonsOf(task.id))
      process.stdout.write(style.dim(`      ${reason.task}: ${texts.message(reason.text)}\n`));
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
  const shown = new Set(single.slice(0, MOST_EARLIER));
  for (const group of groups) {
    for (const id of group) {
      if (shown.size >= MOST_EARLIER) break;
      shown.add(id);
    }
  }
  return { shown, count: groups.reduce((sum, { size }) => sum + size, alone.length) };
}

function listed({ shown, count }: Earlier, texts: Texts): string {
  const rest = count - shown.size;
  return `${[...shown].join(', ')}${rest > 0 ? ` ${texts.more(rest)}` : ''}`;
}

/** The most left-out tasks to list. */
const MOST_GAPS = 100;

/** The plan goes to stdout, as YAML with comments or as JSON. Notes for the reader also go to stderr. */
export async function lift(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  await using dandori = await openWorkplace({ configFile: options.config, tools: false });
  const lifted = await dandori.lift(await findRun(name, dandori));
  if (lifted.tasks.length === 0) {
    throw new DandoriError('usage', `No task of the run ${lifted.run} has succeeded.`, {
      fix: `A plan is saved from finished tasks: see them with \`dandori show ${lifted.run}\`.`,
    });
  }
  const texts = textsFor({ language: dandori.config.language, goal: lifted.goal });
  const remarks = remarksOn(lifted, texts);
  if (options.json === true) process.stdout.write(`${writePlanAsJson(lifted)}\n`);
  else {
    const head = [texts.lifted.from(lifted.run, texts.words.statuses[lifted.outcome]), ...remarks];
    process.stdout.write(writePlan(lifted, { head, of: (task) => commentsOn(task, lifted, texts) }));
    return 0;
  }
  for (const remark of remarks) process.stderr.write(`${styleFor(process.stderr).yellow('!')} ${remark}\n`);
  return 0;
}

function remarksOn(
  { notOrdered, inferred, left, redacted, unread }: Lifted,
  { lifted: texts, more }: Texts,
): string[] {
  return [
    ...(notOrdered.length > 0 ? [texts.notOrdered(notOrdered.join(', '))] : []),
    ...(inferred.length > 0 ? [texts.inferred(inferred.length)] : []),
    ...left
      .slice(0, MOST_GAPS)
      .map(({ task, operation, reason }) => texts.left(task, operation, oneLine(reason, 200))),
    ...(left.length > MOST_GAPS ? [more(left.length - MOST_GAPS)] : []),
    ...(redacted.length > 0 ? [texts.redacted(redacted.join(', '))] : []),
    ...(unread.length > 0 ? [texts.unread(unread.join(', '))] : []),
  ];
}

function commentsOn(task: string, { inferred }: Lifted, { lifted: texts }: Texts): string[] {
  return inferred
    .filter((one) => one.task === task)
    .map(({ path, ref, value }) => texts.was(pathText(path), ref, oneLine(stringifyJson(value), 80)));
}
