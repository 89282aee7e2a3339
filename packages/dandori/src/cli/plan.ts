import type { StepView } from '../core/plan-view.ts';
import type { Report } from '../core/report.ts';
import { oneLine, type Style, styleFor } from './style.ts';
import type { Texts } from './texts.ts';

/** What a plan says besides its tasks: how the goal was understood, its steps, how it was looked at and changed. */
export function planLines({ plan }: Report, texts: Texts): string[] {
  if (plan === undefined) return [];
  const style = styleFor(process.stdout);
  const list = (title: string, lines: readonly string[] = []) =>
    lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  - ${oneLine(line, 160)}`)];
  const done = plan.steps.filter(({ status }) => status === 'completed').length;
  return [
    ...list(texts.objective, plan.objective === undefined ? [] : [plan.objective]),
    ...list(texts.criteria, plan.successCriteria),
    ...list(texts.constraints, plan.constraints),
    ...(plan.steps.length > 0 ? [texts.stepsDone(done, plan.steps.length)] : []),
    ...plan.steps.map((step) => stepLine(step, style)),
    ...list(
      texts.revisionsMade,
      plan.revisions.map(
        ({ reason, changes }) =>
          `${reason} (${changes.map(({ kind, task }) => [kind, task].filter(Boolean).join(' ')).join(', ')})`,
      ),
    ),
    ...list(
      texts.reflectionsMade,
      plan.reflections.map(({ status, evaluation }) => [status, evaluation].filter(Boolean).join(': ')),
    ),
  ];
}

function stepLine({ id, description, status, tasks }: StepView, style: Style): string {
  const marks = { completed: style.green('✓'), failed: style.red('✗') };
  const mark = status === 'completed' || status === 'failed' ? marks[status] : style.dim('·');
  const names = tasks.length === 0 ? '' : ` ${style.dim(tasks.join(', '))}`;
  return `${mark} ${id} ${oneLine(description, 100)}${names}`;
}
