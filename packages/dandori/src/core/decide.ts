import type { ApprovalPolicy } from '../domain/mode.ts';
import { canConclude, reached, timeLeft } from './budget.ts';
import { closing } from './closing.ts';
import type { Intention } from './intention.ts';
import type { RunState, TaskState } from './state.ts';

/**
 * What to do now, given all that has happened. Pure: the time is an argument.
 *
 * D1  Nothing is started after a cancel request, after the time is up, or after the end.
 * D2  A plan is compiled before any of its tasks starts.
 * D3  No more than `concurrency` calls run at once.
 * D4  The mind is asked only when nothing else can go on; at most one decision is open at a time.
 * D5  Where only a person or a timer can go on, nothing but `wake_at` is returned.
 */
export function decide(state: RunState, now: number): Intention[] {
  if (state.end !== undefined) return [];
  if (state.cancel !== undefined)
    return stopping(state, `cancelled: ${state.cancel.reason}`) ?? closing(state, now);
  if (timeLeft(state, now) <= 0) return stopping(state, 'the time is up') ?? closing(state, now);
  if (state.draft !== undefined) return [{ type: 'compile_plan' }];
  const intentions = [...settling(state), ...starting(state, now)];
  const isBusy = state.running.size > 0 || state.thinking !== undefined || intentions.length > 0;
  if (!isBusy && state.retrying.size === 0 && state.openQuestions === 0) intentions.push(...next(state, now));
  return [...intentions, ...waking(state, now)];
}

/** Calls are told to stop; the end comes when the last of them has. */
function stopping(state: RunState, reason: string): Intention[] | undefined {
  const isQuiet = state.running.size === 0 && state.thinking === undefined;
  return isQuiet ? undefined : [{ type: 'abort_calls', reason }];
}

function settling(state: RunState): Intention[] {
  return [...state.inDoubt].map((task) => ({ type: 'ask_in_doubt', task }));
}

function starting(state: RunState, now: number): Intention[] {
  const intentions: Intention[] = [];
  const { concurrency, servers = {}, approval } = state.settings;
  let free = concurrency - state.running.size;
  const started = new Map<string, number>();
  const hasRoom = (lane: string) => {
    const limit = servers[lane];
    return limit === undefined || (state.runningIn.get(lane) ?? 0) + (started.get(lane) ?? 0) < limit;
  };
  for (const task of candidates(state, now, hasRoom)) {
    const { id } = task.task;
    if (needsApproval(task, approval)) intentions.push({ type: 'ask_approval', task: id });
    else if (free > 0) {
      intentions.push({ type: 'start_task', task: id });
      started.set(task.lane, (started.get(task.lane) ?? 0) + 1);
      free--;
    } else break;
  }
  return intentions;
}

/** What is tried again comes first: others may have waited for it for long. */
function* candidates(state: RunState, now: number, hasRoom: (lane: string) => boolean): Generator<TaskState> {
  for (const id of state.retrying) {
    const task = state.tasks.get(id);
    if (task !== undefined && (task.dueAt ?? 0) <= now && hasRoom(task.lane)) yield task;
  }
  for (const id of state.ready.inOrder(hasRoom)) {
    const task = state.tasks.get(id);
    if (task !== undefined) yield task;
  }
}

export function needsApproval({ effect, approved }: TaskState, policy: ApprovalPolicy): boolean {
  if (approved !== undefined || policy === 'never') return false;
  if (policy === 'always') return true;
  return policy === 'writes' ? effect !== 'read' : effect === 'destructive';
}

/** Nothing runs and nothing can start: the mind says what next, or the run ends. */
function next(state: RunState, now: number): Intention[] {
  const end = closing(state, now);
  if (end.length > 0) return end;
  if (state.thinkAfter > now) return [];
  if (reached(state, now) !== undefined)
    return canConclude(state, now) ? [{ type: 'think', purpose: 'conclude' }] : [];
  return [{ type: 'think', purpose: state.planGiven ? 'answer' : 'act' }];
}

function waking(state: RunState, now: number): Intention[] {
  const isAlive = state.running.size > 0 || state.thinking !== undefined;
  let earliest = Number.POSITIVE_INFINITY;
  for (const id of state.retrying) {
    const dueAt = state.tasks.get(id)?.dueAt ?? now;
    if (dueAt > now) earliest = Math.min(earliest, dueAt);
  }
  if (state.thinkAfter > now && !isAlive) earliest = Math.min(earliest, state.thinkAfter);
  if (isAlive || Number.isFinite(earliest)) earliest = Math.min(earliest, now + timeLeft(state, now));
  return Number.isFinite(earliest) ? [{ type: 'wake_at', at: earliest }] : [];
}
