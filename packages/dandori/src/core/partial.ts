import type { RunState } from './state.ts';

/** What a run that ends without a written answer can still say: the facts that it has. Undefined where it has none. */
export function partialAnswer(state: RunState, resultText: (task: string) => string): string | undefined {
  const done = [...state.tasks.values()].filter(({ status }) => status === 'succeeded');
  if (done.length === 0) return undefined;
  const heading = /[\u3040-\u30ff\u4e00-\u9fff]/.test(state.goal) ? 'ここまでの結果:' : 'Results so far:';
  const lines = done.slice(-20).map(({ task }) => `- ${task.operation}: ${clip(resultText(task.id))}`);
  return [heading, ...lines].join('\n');
}

function clip(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}
