import { DandoriError } from '../../domain/error.ts';
import type { Entry } from '../../ports/journal.ts';

/** A bug of ours, never bad input: a journal with a gap could not be read again. */
export function assertFollows(after: number, events: readonly Entry[]): void {
  for (const [index, { seq }] of events.entries()) {
    if (seq !== after + 1 + index)
      throw new Error(`An event with seq ${seq} was to be written where ${after + 1 + index} must come.`);
  }
}

/** `name`: the run, or the conversation. */
export function conflict(name: string, after: number, last: number): never {
  throw new DandoriError(
    'journal-conflict',
    `The ${name} is at event ${last}, not ${after}: somebody else wrote to it.`,
  );
}

export function drivenElsewhere(run: string, by: string, claimFile?: string): never {
  const ifGone = claimFile === undefined ? '' : ` If that process is gone for good, delete ${claimFile}.`;
  throw new DandoriError('run-driven-elsewhere', `The run ${run} is being driven by ${by}.`, {
    fix: `Watch it with \`dandori log ${run} --follow\`, or stop it with \`dandori cancel ${run}\`.${ifGone}`,
  });
}
