import type { Offer } from '../../model/decision.ts';
import type { Failure } from '../../model/failure.ts';
import type { Decision, RunState } from '../../run/state/state.ts';

/** The code of a decision that failed because the model takes no pictures or PDFs. */
export const FILES_REFUSED = 'files_refused';

/** What has happened in the decisions of a run. */
interface Past {
  /** How many decisions. */
  count: number;
  hasFailed: boolean;
  /** The fallback model has taken over. */
  hasTakenOver: boolean;
  /** The current model has written an output that could not be used. */
  hasWrittenUnusable: boolean;
  /** The current model has refused files. */
  hasRefusedFiles: boolean;
  /** The tools of the instructions. */
  firstOffer: Offer | undefined;
  /** How many times other tools were announced after them. */
  laterOffers: number;
}

const pasts = new WeakMap<readonly Decision[], Past>();

/** Only new decisions are gone through, so that a step of a long run costs as much as one of a short run. */
export function pastOf({ decisions }: Pick<RunState, 'decisions'>): Readonly<Past> {
  let past = pasts.get(decisions);
  if (past === undefined) {
    past = {
      count: 0,
      hasFailed: false,
      hasTakenOver: false,
      hasWrittenUnusable: false,
      hasRefusedFiles: false,
      firstOffer: undefined,
      laterOffers: 0,
    };
    pasts.set(decisions, past);
  }
  for (; past.count < decisions.length; past.count++) add(past, decisions[past.count] as Decision);
  return past;
}

function add(past: Past, { failure, next, offer }: Decision): void {
  past.hasFailed ||= failure !== undefined;
  past.hasWrittenUnusable ||= failure?.kind === 'unusable_output';
  past.hasRefusedFiles ||= isRefusal(failure);
  past.firstOffer ??= offer;
  if (offer !== undefined && offer !== past.firstOffer) past.laterOffers++;
  if (next === undefined) return;
  // The failures of a model before the fallback say nothing about the next one.
  past.hasTakenOver = true;
  past.hasWrittenUnusable = false;
  past.hasRefusedFiles = false;
}

export function isRefusal(failure: Failure | undefined): boolean {
  return failure?.code === FILES_REFUSED;
}
