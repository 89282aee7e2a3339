import { canonical } from '../../core/canonical.ts';
import { report } from '../../core/report.ts';
import type { RunState } from '../../core/state.ts';
import type { RecordedCase } from '../../domain/case.ts';
import type { Json } from '../../domain/json.ts';
import { normalise, stringifyJson } from '../../domain/json-text.ts';
import type { Task } from '../../domain/task.ts';

/** A case did not go as it was recorded. */
export class CaseError extends Error {
  override readonly name = 'CaseError';
  readonly differences: readonly string[];

  constructor(what: string, differences: readonly string[]) {
    super([`${what} does not go as it was recorded (- then, + now):`, ...differences].join('\n  '));
    this.differences = differences;
  }
}

/** What came of it otherwise: plan, tasks, outcome, answer. */
export function differencesOf({ expect }: RecordedCase, state: RunState): string[] {
  const now = report(state);
  const plan = planDifferences(
    expect.plan,
    [...state.tasks.values()].map(({ task }) => task),
  );
  const tasks = Object.entries(now.tasks).map(([id, { status }]) => [id, status] as const);
  return [
    ...(plan.length > 0 ? refusals(state) : []),
    ...plan,
    ...changed('tasks', expect.tasks, Object.fromEntries(tasks)),
    ...changed('outcome', expect.outcome, now.outcome),
    ...changed('failure', expect.failure ?? null, now.failure?.kind ?? null),
    ...changed('answer', expect.answer, now.answer),
  ];
}

/** Why the last plan that was refused was refused. */
function refusals({ rejection = [] }: RunState): string[] {
  return rejection.map(({ code, message }) => `the plan is refused now: ${message} (${code})`);
}

function planDifferences(then: readonly Task[], now: readonly Task[]): string[] {
  const ids = new Set([...then, ...now].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [before, after] = [then.find((task) => task.id === id), now.find((task) => task.id === id)];
    return changed(`plan: ${id}`, (before ?? null) as Json, (after ?? null) as Json);
  });
}

function changed(what: string, then: Json, now: Json): string[] {
  const [before, after] = [textOf(then), textOf(now)];
  return before === after ? [] : [`${what}`, `  - ${before}`, `  + ${after}`];
}

function textOf(value: Json): string {
  return stringifyJson(canonical(normalise(value)));
}
