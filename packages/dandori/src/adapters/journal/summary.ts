import type { Event } from '../../domain/event.ts';
import type { RunSummary } from '../../ports/journal.ts';

/** A run in one line, from its first and its last event. */
export function summarise(run: string, first: Event | undefined, last: Event | undefined): RunSummary {
  if (first?.type !== 'run_started' || last === undefined) {
    return { run, goal: '', startedAt: 0, lastAt: 0, lastSeq: 0, status: 'damaged' };
  }
  return {
    run,
    goal: first.data.goal,
    ...(first.data.userId !== undefined && { userId: first.data.userId }),
    ...(first.data.conversation !== undefined && { conversation: first.data.conversation }),
    startedAt: first.at,
    lastAt: last.at,
    lastSeq: last.seq,
    status: statusOf(last),
  };
}

function statusOf(last: Event): RunSummary['status'] {
  if (last.type === 'run_finished' || last.type === 'run_rated') return last.data.outcome;
  if (last.type === 'run_paused') return 'paused';
  // A call was given up that waited for a person; the question has stayed.
  const isUnanswered =
    last.type === 'hold_ended' || (last.type === 'task_in_doubt' && last.data.cause === 'unanswered');
  return last.type === 'question_asked' || isUnanswered ? 'waiting' : 'open';
}
