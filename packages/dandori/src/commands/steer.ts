import { randomInt } from 'node:crypto';
import { DandoriError } from '../model/error.ts';
import { EVENT_VERSION, type Event, type Fact, type FactOf } from '../model/event.ts';
import type { Settings } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import type { RunState } from '../run/state/state.ts';
import { sealingOf } from '../trust/sealing.ts';
import { checkLength, type Keeping, refuseEnded, send, tasksAsJournaled } from './send.ts';

export { answerQuestion } from './answer.ts';

/** Longer goals are data: they belong in a file or a tool's result, not in every prompt of the run. */
const LONGEST_GOAL = 100_000;

export interface Beginning {
  readonly goal: string;
  readonly settings: Settings;
  readonly userId?: string;
  /** A plan of the user's; the mind is then asked for no other. */
  readonly tasks?: readonly Task[];
  /** The id that was written down for it, where it must be this one. */
  readonly run?: string;
  /** And what the mind is told of it. */
  readonly conversation?: string;
  readonly context?: string | undefined;
  /** Whether its mind may cancel another run unasked, before a tool has spoken. */
  readonly mayCancel?: boolean | undefined;
}

export interface Starting extends Keeping {
  readonly mind: { readonly name: string };
}

/** A word for a run: of a person, or of the model of another run, which never counts as a person. */
interface Word {
  readonly run: string;
  readonly by?: string | undefined;
  readonly passedOnBy?: { readonly run: string } | undefined;
}

/** Requests from outside. Each is checked against the run as it is now and becomes a fact, or is refused. */
export async function startRun(
  { goal, settings, userId, tasks, run: given, conversation, context, mayCancel }: Beginning,
  parts: Starting,
): Promise<string> {
  checkGoal(goal);
  const at = parts.clock.now();
  const run = given ?? newId(at);
  const facts: Fact[] = [
    {
      type: 'run_started',
      data: {
        goal,
        settings,
        mind: parts.mind.name,
        userId,
        ...(tasks !== undefined && { planGiven: true }),
        conversation,
        context,
        mayCancel,
        sealed: true,
      },
    },
  ];
  if (tasks !== undefined)
    facts.push({ type: 'plan_proposed', data: { version: 1, by: 'user', tasks: tasksAsJournaled(tasks) } });
  const sealing = sealingOf(parts);
  const events = facts.map(
    (fact, index) => ({ v: EVENT_VERSION, run, seq: index + 1, at, ...sealing.seal(fact) }) as Event,
  );
  await parts.journal.create(run, events);
  return run;
}

/** Waits for nothing but the journal: whoever drives the run takes it up. */
export async function addNote(
  { run, text, by, passedOnBy }: Word & { readonly text: string },
  parts: Keeping,
): Promise<void> {
  if (text.trim() === '')
    throw new DandoriError('usage', 'There is nothing to tell.', { fix: 'Say it: dandori tell RUN "…"' });
  checkLength(text, 'note');
  await send(run, parts, (state) => {
    refuseEnded(state);
    // The call that passes it on may be repeated after a crash. A person who says the same again means it.
    const isRepeated = ({ text: told, passedOnBy: from }: RunState['notes'][number]) =>
      told === text && from?.run === passedOnBy?.run;
    if (passedOnBy !== undefined && state.notes.some(isRepeated)) return undefined;
    return { type: 'note_added', data: { text, by, passedOnBy } };
  });
}

export async function pauseRun(
  { run, reason, by }: { run: string; reason?: string | undefined; by?: string | undefined },
  parts: Keeping,
): Promise<void> {
  checkLength(reason, 'reason');
  await send(run, parts, (state) => {
    refuseEnded(state);
    return state.paused === undefined ? { type: 'run_paused', data: { reason, by } } : undefined;
  });
}

/** A run that was not paused stays as it is. */
export async function continueRun(
  { run, by }: { run: string; by?: string | undefined },
  parts: Keeping,
): Promise<void> {
  await send(run, parts, (state) => {
    refuseEnded(state);
    return state.paused === undefined ? undefined : { type: 'run_continued', data: { by } };
  });
}

export async function cancelRun(
  { run, reason, by, passedOnBy }: Word & { readonly reason: string },
  parts: Keeping,
): Promise<void> {
  checkLength(reason, 'reason');
  await send(run, parts, (state) => {
    refuseEnded(state);
    if (state.cancel !== undefined) return undefined;
    return { type: 'cancel_requested', data: { reason, by, passedOnBy } };
  });
}

/** More of what the limits allow: a run that was exhausted can be driven on. */
export async function addBudget(
  { run, by, ...amounts }: { run: string } & FactOf<'budget_added'>['data'],
  parts: Keeping,
): Promise<void> {
  await send(run, parts, (state) => {
    if (state.end?.outcome !== 'exhausted') refuseEnded(state);
    return { type: 'budget_added', data: { ...amounts, by } };
  });
}

export interface Rating {
  /** 1 (of no use) to 5 (just right). */
  readonly rating: number;
  readonly comment?: string;
  readonly by?: string;
}

export async function rateRun(
  { run, rating, comment, by }: Rating & { run: string },
  parts: Keeping,
): Promise<void> {
  checkRating({ rating, comment });
  await send(run, parts, ({ end }) => {
    if (end === undefined) {
      throw new DandoriError('run-not-ended', `The run ${run} has not ended, so there is nothing to rate.`, {
        fix: `Go on with \`dandori resume ${run}\`, or end it with \`dandori cancel ${run}\`.`,
      });
    }
    return { type: 'run_rated', data: { rating, comment, by, outcome: end.outcome } };
  });
}

export function checkGoal(goal: string): void {
  if (goal.trim() === '') {
    throw new DandoriError('goal-invalid', 'The goal is empty.', {
      fix: 'Say what you want: dandori run "100 + 200を計算"',
    });
  }
  if (goal.length > LONGEST_GOAL) {
    throw new DandoriError(
      'goal-invalid',
      `The goal has ${goal.length} characters; ${LONGEST_GOAL} are the most.`,
      {
        fix: 'Put the text into a file and let a tool read it.',
      },
    );
  }
}

function checkRating({ rating, comment = '' }: Rating): void {
  if (!Number.isInteger(rating) || rating < 1 || rating > 5) {
    throw new DandoriError('usage', `A rating is a whole number from 1 to 5, not ${rating}.`, {
      fix: 'Give 5 for a run that was just right, 1 for one of no use.',
    });
  }
  checkLength(comment, 'comment');
}

/** Sorts by time, so that the newest runs are found without opening a file: 20261115-221530123-k3f9. */
export function newId(at: number): string {
  const [date = '', time = ''] = new Date(at)
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .split('T');
  const random = randomInt(36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${date}-${time}-${random}`;
}
