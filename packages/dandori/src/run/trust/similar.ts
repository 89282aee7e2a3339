import { callAbout } from '../../model/question.ts';
import type { RunState, TaskState } from '../state/state.ts';

/** The tools about which the user is being asked, because a stranger's text may have ordered a call. */
export function doubtedTools({ indexes, questions, settings }: RunState): ReadonlySet<string> {
  if (settings.trust === undefined || indexes.openQuestions === 0) return NONE;
  const found = new Set<string>();
  for (const { question, answer } of questions.values()) {
    if (answer !== undefined || question.kind !== 'approval') continue;
    const { operation, trust } = callAbout.safeParse(question.context).data ?? {};
    if (operation !== undefined && trust?.because === 'not_ordered') found.add(operation);
  }
  return found;
}

const NONE: ReadonlySet<string> = new Set();

/** Whether the answer about another call of the tool may decide about this one too. */
export function waitsForAnswer({ task, isOrdered }: TaskState, state: RunState): boolean {
  return !isOrdered && doubtedTools(state).has(task.operation);
}

/** Other calls of the same tool that have not begun: ordered ones if this one is, otherwise those that are not. */
export function similarTo(of: TaskState, state: RunState): TaskState[] {
  return notBegun(of, state).filter(({ task }) => task.operation === of.task.operation);
}

/**
 * The calls that waited for an answer together with this one. Injected calls may be of many tools, and each would
 * otherwise wait for its own answer after the one before.
 */
export function waitingWith(of: TaskState, state: RunState): TaskState[] {
  return of.isOrdered ? similarTo(of, state) : notBegun(of, state);
}

function notBegun({ task, isOrdered }: TaskState, { tasks }: RunState): TaskState[] {
  return [...tasks.values()].filter(
    (one) =>
      one.task.id !== task.id &&
      one.isOrdered === isOrdered &&
      one.attempts === 0 &&
      (one.status === 'ready' || one.status === 'pending'),
  );
}
