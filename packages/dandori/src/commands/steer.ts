import type { PassedOn } from '../model/decision.ts';
import { DandoriError } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import type { RunState } from '../run/state/state.ts';
import { type CommandParts, checkLength, refuseEnded, send } from './send.ts';

/** A request to a run, made by a user or by the model of another run. A model never counts as a user. */
interface Word {
  readonly run: string;
  readonly by?: string | undefined;
  readonly passedOnBy?: PassedOn | undefined;
}

/** Resolves when the note is written. The process that drives the run reads it from the journal. */
export async function addNote(
  { run, text, by, passedOnBy }: Word & { readonly text: string },
  parts: CommandParts,
): Promise<void> {
  if (text.trim() === '')
    throw new DandoriError('usage', 'The note is empty.', { fix: 'Write it: dandori note RUN "…"' });
  checkLength(text, 'note');
  await send(run, parts, (state) => {
    refuseEnded(state);
    // A call that passes on a note may be repeated after a crash. A user who repeats a note does so on
    // purpose.
    const isRepeated = ({ text: told, passedOnBy: from }: RunState['notes'][number]) =>
      told === text && from?.run === passedOnBy?.run;
    if (passedOnBy !== undefined && state.notes.some(isRepeated)) return undefined;
    return { type: 'note_added', data: { text, by, passedOnBy } };
  });
}

export async function pauseRun(
  { run, reason, by }: { run: string; reason?: string | undefined; by?: string | undefined },
  parts: CommandParts,
): Promise<void> {
  checkLength(reason, 'reason');
  await send(run, parts, (state) => {
    refuseEnded(state);
    return state.paused === undefined ? { type: 'run_paused', data: { reason, by } } : undefined;
  });
}

/** A run that is not paused stays as it is. */
export async function continueRun(
  { run, by }: { run: string; by?: string | undefined },
  parts: CommandParts,
): Promise<void> {
  await send(run, parts, (state) => {
    refuseEnded(state);
    return state.paused === undefined ? undefined : { type: 'run_continued', data: { by } };
  });
}

export async function cancelRun(
  { run, reason, by, passedOnBy }: Word & { readonly reason: string },
  parts: CommandParts,
): Promise<void> {
  checkLength(reason, 'reason');
  await send(run, parts, (state) => {
    refuseEnded(state);
    if (state.cancel !== undefined) return undefined;
    return { type: 'cancel_requested', data: { reason, by, passedOnBy } };
  });
}

/** Raises the limits. A run that has reached one can then continue. */
export async function addBudget(
  { run, by, ...amounts }: { run: string } & FactOf<'budget_added'>['data'],
  parts: CommandParts,
): Promise<void> {
  await send(run, parts, (state) => {
    if (state.end?.outcome !== 'exhausted') refuseEnded(state);
    return { type: 'budget_added', data: { ...amounts, by } };
  });
}

export interface Rating {
  /** From 1 (useless) to 5 (exactly right). */
  readonly rating: number;
  readonly comment?: string;
  readonly by?: string;
}

export async function rateRun(
  { run, rating, comment, by }: Rating & { run: string },
  parts: CommandParts,
): Promise<void> {
  checkRating({ rating, comment });
  await send(run, parts, ({ end }) => {
    if (end === undefined) {
      throw new DandoriError('run-not-ended', `The run ${run} has not ended, so there is nothing to rate.`, {
        fix: `Resume it with \`dandori resume ${run}\`, or end it with \`dandori cancel ${run}\`.`,
      });
    }
    return { type: 'run_rated', data: { rating, comment, by, outcome: end.outcome } };
  });
}

function checkRating({ rating, comment = '' }: Rating): void {
  if (!Number.isInteger(rating) || rating < 1 || rating > 5) {
    throw new DandoriError('usage', `A rating is a whole number from 1 to 5, not ${rating}.`, {
      fix: 'Give 5 for a run that was just right, 1 for one of no use.',
    });
  }
  checkLength(comment, 'comment');
}
