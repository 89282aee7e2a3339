import { DandoriError } from '../domain/error.ts';
import type { CallOutcome } from '../ports/toolbox.ts';
import { handOver } from './hand-over.ts';
import { cancelRun } from './inbox.ts';
import type { Minutes } from './minutes.ts';
import type { OtherRuns } from './own-tools.ts';
import type { Parts } from './parts.ts';

/** The runs of a conversation, as one of them may tell or cancel another. */
export function othersOf(minutes: Minutes, parts: Parts): OtherRuns {
  const by = () => minutes.state?.userId;
  const known = async (run: string, work: () => Promise<void>): Promise<CallOutcome> => {
    try {
      if (minutes.state?.runs.has(run) !== true)
        return refused(`there is no run ${run} in this conversation`);
      await work();
      return { kind: 'succeeded', result: { run, told: true } };
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      return refused(error.message);
    }
  };
  return {
    tell: ({ run, text }) => known(run, () => handOver({ run, text, by: by(), mayBeRepeated: true }, parts)),
    cancel: ({ run, reason }) => known(run, () => cancelRun({ run, reason, by: by() }, parts)),
  };
}

function refused(message: string): CallOutcome {
  return { kind: 'failed', failure: { kind: 'not_possible', message } };
}
