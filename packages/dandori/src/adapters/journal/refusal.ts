import { DandoriError } from '../../domain/error.ts';
import type { Event } from '../../domain/event.ts';

/** A bug of ours, never bad input: a journal with a gap could not be read again. */
export function assertFollows(after: number, events: readonly Event[]): void {
  for (const [index, { seq }] of events.entries()) {
    if (seq !== after + 1 + index)
      throw new Error(`An event with seq ${seq} was to be written where ${after + 1 + index} must come.`);
  }
}

export function runNotFound(run: string): never {
  throw new DandoriError('run-not-found', `There is no run "${run}".`, {
    fix: '`dandori runs` lists the runs.',
  });
}

export function conflict(run: string, after: number, last: number): never {
  throw new DandoriError(
    'journal-conflict',
    `The run ${run} is at event ${last}, not ${after}: somebody else wrote to it.`,
  );
}

export function drivenElsewhere(run: string, by: string, claimFile?: string): never {
  const ifGone = claimFile === undefined ? '' : ` If that process is gone for good, delete ${claimFile}.`;
  throw new DandoriError('run-driven-elsewhere', `The run ${run} is being driven by ${by}.`, {
    fix: `Watch it with \`dandori log ${run} --follow\`, or stop it with \`dandori cancel ${run}\`.${ifGone}`,
  });
}
