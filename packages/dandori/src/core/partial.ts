import type { RunState } from './state.ts';
import { isStep } from './step.ts';
import { textsOf } from './texts.ts';

/** What a run that ends without a written answer can still say: the facts that it has. Undefined where it has none. */
export function partialAnswer(state: RunState, resultText: (task: string) => string): string | undefined {
  const done = [...state.tasks.values()].filter(
    ({ task, status }) => status === 'succeeded' && !isStep(task),
  );
  if (done.length === 0) return undefined;
  const lines = done.slice(-20).map(({ task }) => `- ${task.operation}: ${clip(resultText(task.id))}`);
  return [textsOf(state).soFar, ...lines].join('\n');
}

function clip(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}
