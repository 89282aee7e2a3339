import type { Diagnostic } from '../domain/diagnostic.ts';
import type { PlanFile } from './plan-file.ts';
import { type LocatedProblem, MAX_PROBLEMS, renderProblems } from './problem.ts';

/** What the compiler found, shown in the plan's own lines. No colours: the terminal's side adds them. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  plan: PlanFile,
  severity: 'error' | 'warning' = 'error',
): string {
  return renderProblems(
    diagnostics.slice(0, MAX_PROBLEMS).map((diagnostic): LocatedProblem => {
      const { code, message, hint, task, index, path, at } = diagnostic;
      return {
        where: plan.name,
        place: plan.locate(index ?? task, path, at),
        severity,
        code,
        message,
        ...(hint !== undefined && { hint }),
      };
    }),
    diagnostics.length,
  );
}
