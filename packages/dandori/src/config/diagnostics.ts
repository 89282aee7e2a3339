import type { Diagnostic } from '../domain/diagnostic.ts';
import type { PlanFile } from './plan-file.ts';
import { type LocatedProblem, MAX_PROBLEMS, renderProblems } from './problem.ts';

/** What the compiler found, shown in the plan's own lines. No colours: the terminal's side adds them. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  plan: PlanFile,
  severity: 'error' | 'warning' = 'error',
): string {
  const repeats = new Map<string, number>();
  return renderProblems(
    diagnostics.slice(0, MAX_PROBLEMS).map((diagnostic): LocatedProblem => {
      const { code, message, hint, task, path, at } = diagnostic;
      const which = code === 'duplicate-id' && task !== undefined ? nextRepeat(task, plan, repeats) : task;
      return {
        where: plan.name,
        place: plan.locate(which, path, at),
        severity,
        code,
        message,
        ...(hint !== undefined && { hint }),
      };
    }),
    diagnostics.length,
  );
}

/** The first task of an id is right; each diagnostic is about one of those after it. */
function nextRepeat(id: string, { tasks }: PlanFile, repeats: Map<string, number>): string | number {
  const index = tasks.findIndex(
    (task, position) => task.id === id && position > (repeats.get(id) ?? firstOf(id, tasks)),
  );
  if (index < 0) return id;
  repeats.set(id, index);
  return index;
}

function firstOf(id: string, tasks: PlanFile['tasks']): number {
  return tasks.findIndex((task) => task.id === id);
}
