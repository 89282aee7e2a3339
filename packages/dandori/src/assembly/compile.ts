import type { Config } from '../config/config.ts';
import { copiedSecrets } from '../core/arguments.ts';
import { type Compiled, compile } from '../core/compile.ts';
import { worstCase } from '../core/estimate.ts';
import { withOwnTools } from '../core/own-tools.ts';
import { STEP_TOOL } from '../core/step.ts';
import type { Task } from '../domain/task.ts';
import { tasksAsJournaled } from '../engine/command.ts';
import type { Parts } from '../engine/parts.ts';
import { checkOpened, sealingOf } from '../engine/sealing.ts';

/** A plan that no run has, with the tools and limits of this process. */
export async function compileWith(
  given: readonly Task[],
  { settings }: Config,
  parts: Parts,
): Promise<Compiled> {
  const { toolbox, durations } = parts;
  const sealing = sealingOf(parts);
  const check = checkOpened(parts.check, sealing);
  const sealed = sealing.seal(tasksAsJournaled(given));
  await durations?.load();
  const { limits, task, order } = settings;
  const { concurrency, servers } = settings;
  const budget = { ms: limits.time, cost: limits.cost, ...task, concurrency, servers };
  const copied = sealed.flatMap(copiedSecrets);
  if (copied.length > 0) return { ok: false, diagnostics: copied };
  const compiled = compile(sealed, {
    tools: new Map([...withOwnTools(toolbox.tools()), [STEP_TOOL.name, STEP_TOOL]]),
    missing: new Map(toolbox.missing().map(({ server, reason }) => [server, reason])),
    check,
    mode: 'planned',
    order,
    maxTasks: Number.POSITIVE_INFINITY,
    done: new Map(),
    budget,
    expectedMs: durations?.expected,
  });
  if (!compiled.ok) return compiled;
  return { ...compiled, warnings: [...compiled.warnings, ...worstCase(compiled.estimate(), budget)] };
}
