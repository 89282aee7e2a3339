import { fold } from '../core/apply.ts';
import { openQuestions } from '../core/report.ts';
import { DandoriError } from '../domain/error.ts';
import type { JsonObject } from '../domain/json.ts';
import type { CallOutcome } from '../ports/toolbox.ts';
import { addNote, cancelRun } from './inbox.ts';
import type { Minutes } from './minutes.ts';
import type { OtherRuns } from './own-tools.ts';
import type { Parts } from './parts.ts';

/**
 * The runs of a conversation, as the model of one of them may tell or cancel another.
 *
 * What a model says is never taken for a person's word: it may be what a tool has put into its mouth. It is marked with
 * the run that it came from, is a note and no more, and leaves every question open.
 */
export function othersOf(minutes: Minutes, parts: Parts): OtherRuns {
  const known = async (run: string, work: () => Promise<JsonObject>): Promise<CallOutcome> => {
    try {
      if (minutes.state?.runs.has(run) !== true)
        return refused(`there is no run ${run} in this conversation`);
      return { kind: 'succeeded', result: { run, ...(await work()) } };
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      return refused(error.message);
    }
  };
  return {
    tell: ({ run, text, from }) =>
      known(run, async () => {
        await addNote({ run, text, passedOnBy: { run: from } }, parts);
        return { told: 'as a note for its next decision', ...(await stillOpen(run, parts)) };
      }),
    cancel: ({ run, reason, from }) =>
      known(run, async () => {
        await cancelRun({ run, reason, passedOnBy: { run: from } }, parts);
        return { cancelled: true };
      }),
  };
}

/** So that the model does not tell the user that something was answered. */
async function stillOpen(run: string, { journal }: Parts): Promise<JsonObject> {
  const state = fold(await journal.read(run));
  const open = state === undefined ? [] : openQuestions(state);
  if (open.length === 0) return {};
  const questions = open.map(({ id, kind }) => `${id} (${kind})`).join(', ');
  return { unanswered: `${questions}: still open. Only the user can answer, with a message of their own.` };
}

function refused(message: string): CallOutcome {
  return { kind: 'failed', failure: { kind: 'not_possible', message } };
}
