import type { Clock } from '../model/clock.ts';
import { DandoriError } from '../model/error.ts';
import { type Event, eventOf, type Fact, factSchema } from '../model/event.ts';
import { isNormal, normalise } from '../model/json.ts';
import type { Task } from '../model/task.ts';
import { foldRun } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import { type Secrets, sealingOf } from '../secrets/index.ts';
import type { Journal } from '../store/index.ts';

const LONGEST_COMMENT = 10_000;

/** What a request from outside needs. It needs no tools and no mind. */
export interface CommandParts extends Secrets {
  readonly journal: Journal;
  readonly clock: Clock;
}

type Found = Fact | readonly Fact[] | undefined;

/**
 * Appends with compare-and-set, and retries after each conflict, because a driver may write at the same time.
 */
export async function send(
  run: string,
  { journal, clock, ...keeping }: CommandParts,
  check: (state: RunState, at: number) => Found | Promise<Found>,
): Promise<void> {
  const sealing = sealingOf(keeping);
  for (;;) {
    const state = foldRun(run, await journal.read(run));
    const at = Math.max(clock.now(), state.lastAt);
    const facts = [(await check(state, at)) ?? []].flat();
    if (facts.length === 0) return;
    const events = facts.map((fact, index) => {
      // An answer was sealed before it was checked. It may hold marks that the user saw as `[secret]`.
      const sealed = fact.type === 'question_answered' ? sealing.conceal(fact) : sealing.seal(fact);
      return readable(eventOf(sealed, { run, seq: state.seq + 1 + index, at }));
    });
    try {
      await journal.append(run, state.seq, events);
      return;
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'journal-conflict')) throw error;
    }
  }
}

/**
 * The event, if the journal can be read again with it. A program may give a number that JSON cannot write, or break the
 * types.
 */
export function readable(event: Event): Event {
  const [issue] = factSchema.safeParse(event).error?.issues ?? [];
  if (issue === undefined) return event;
  const place = issue.path.slice(1).join('.');
  throw new DandoriError('usage', `${place} cannot be stored: ${issue.message}.`, {
    fix: 'Give a value of the declared type. A number must be finite.',
  });
}

export function refuseEnded({ run, end }: RunState): void {
  if (end === undefined) return;
  throw new DandoriError('run-ended', `The run ${run} has ended (${end.outcome}).`, {
    fix: `See it with \`dandori show ${run}\`.`,
  });
}

/** The caller's value as the journal will store it. Throws if it is not JSON. */
export function asJournaled<T>(value: T, what: string, code: 'usage' | 'answer-invalid' = 'usage'): T {
  if (isNormal(value)) return value;
  try {
    return normalise(value) as T;
  } catch (error) {
    const isDeep = error instanceof RangeError || !(error instanceof Error);
    const reason = isDeep ? 'it is nested too deeply' : error.message;
    throw new DandoriError(code, `${what} cannot be written as JSON: ${reason}.`, {
      fix: 'Give texts, numbers, true, false, null, lists and objects of these.',
    });
  }
}

/** A timeout that is not JSON is kept unchanged, so that `readable` names it. */
export function tasksAsJournaled(tasks: readonly Task[]): Task[] {
  return tasks.map((task) => {
    const { timeoutMs } = task;
    if ('timeout' in task)
      throw new DandoriError('plan-invalid', `The task ${task.id} has a timeout without a unit.`, {
        fix: 'Write timeoutMs, in milliseconds. Only plan files have timeout, in seconds.',
      });
    return { ...asJournaled(task, 'The plan'), ...(timeoutMs !== undefined && { timeoutMs }) };
  });
}

/** The texts of users go into prompts and journals, so their length is limited. */
export function checkLength(text = '', what: 'comment' | 'note' | 'reason'): void {
  if (text.length <= LONGEST_COMMENT) return;
  throw new DandoriError(
    'usage',
    `The ${what} has ${text.length} characters; ${LONGEST_COMMENT} are the most.`,
    {
      fix: 'Write a shorter text.',
    },
  );
}
