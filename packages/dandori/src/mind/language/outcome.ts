import type { RunState, TaskState } from '../../core/state.ts';
import type { Thought } from '../../ports/mind.ts';

/** How a task ended, for the model to read. Everything that a tool said is inside the tags, its failures too. */
export function tellOutcome(id: string, { state, resultText }: Thought): string {
  const task = state.tasks.get(id);
  if (task === undefined) return `<result task="${id}" status="not run">\n</result>`;
  const note = task.note === undefined ? '' : `\n(${task.note})`;
  const content = task.status === 'succeeded' ? `${resultText(id)}${note}` : whyNot(task);
  const head = `<result task="${id}" operation="${task.task.operation}" status="${statusOf(task)}">`;
  return [`${head}\n${withoutTags(content)}\n</result>`, ...choices(id, state)].join('\n');
}

/** A result that could close its own tag could speak with the user's voice. */
function withoutTags(content: string): string {
  return content.replaceAll(/<(?=\s*\/?\s*result)/gi, '&lt;');
}

function statusOf({ status }: TaskState): string {
  if (status === 'succeeded' || status === 'failed') return status;
  return 'not run';
}

function whyNot({ failure, status }: TaskState): string {
  if (failure !== undefined) return `${failure.kind}: ${failure.message}`;
  return status === 'blocked' ? 'An action that it needs did not succeed.' : `It is ${status}.`;
}

/** What a person chose for this task changed its arguments, so the model must know. */
function choices(id: string, { questions }: RunState): string[] {
  return [...questions.values()]
    .filter(
      ({ question, answer }) => question.task === id && question.kind === 'ambiguity' && answer !== undefined,
    )
    .map(
      ({ question, answer }) =>
        `The user was asked: ${question.text} The user chose: ${JSON.stringify(answer?.value)}`,
    );
}
