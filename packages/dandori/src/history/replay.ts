import * as z from 'zod';
import { createResults, type Parts } from '../driver/index.ts';
import type { Event, FactType } from '../model/event.ts';
import { jsonCopy } from '../model/json.ts';
import { breaches } from '../run/laws.ts';
import { apply, fold, noEvents } from '../run/state/apply.ts';
import { type RunState, snapshot } from '../run/state/state.ts';
import type { Journal } from '../store/index.ts';
import { report, reportSchema } from '../views/report.ts';
import { factText } from './diff.ts';
import { noEvent } from './fork-point.ts';
import { isDecided, prove } from './proof.ts';

export interface ReplayOptions {
  /** The last event to replay. Default: the last one. */
  readonly to?: number;
}

const difference = z.object({
  seq: z.number().int(),
  type: z.custom<FactType>((type) => typeof type === 'string').describe('The type of the event'),
  message: z.string(),
});
export type Difference = Readonly<z.infer<typeof difference>>;

/** A run computed again from its journal alone. */
export const replayedSchema = z.object({
  run: z.string(),
  seq: z.number().int().describe('The last event that was replayed'),
  events: z.number().int().describe('How many events the journal has'),
  isProved: z.boolean().describe('True if nothing differs and nothing is unproved'),
  differences: z
    .array(difference)
    .readonly()
    .describe('Where the journal is not what the engine would have written'),
  unproved: z
    .array(difference)
    .readonly()
    .describe('What cannot be computed again, because a result that it needs is gone'),
  derived: z.number().int().describe('Events that were computed again'),
  taken: z.number().int().describe('Events taken as they are, from tools, models and users'),
  report: reportSchema.describe('The run as of that event'),
});
export type Replayed = Readonly<z.infer<typeof replayedSchema>>;

type ReplayParts = Pick<Parts, 'journal' | 'blobs' | 'check'>;

/**
 * Verifies a journal: computes the state without a model or a tool, and reports where the journal does not
 * match.
 */
export async function replayRun(
  run: string,
  { to }: ReplayOptions,
  { journal, blobs, check }: ReplayParts,
): Promise<Replayed> {
  const all = await journal.read(run);
  const events = all.slice(0, upTo(run, all, to));
  const results = createResults(blobs);
  const differences: Difference[] = breaches(events).map((breach) => ({
    ...breach,
    type: typeAt(events, breach.seq),
  }));
  const unproved: Difference[] = [];
  let derived = 0;
  let state: RunState | undefined;
  for (const [index, event] of events.entries()) {
    if (state !== undefined) {
      const proof = await prove(event, { state, next: all[index + 1], results, check });
      const { seq, type } = event;
      if ('unproved' in proof) unproved.push({ seq, type, message: proof.unproved });
      else differences.push(...proof.wrong.map((message) => ({ seq, type, message })));
      if (isDecided(type)) derived++;
    }
    state = apply(state, event);
  }
  if (state === undefined) throw noEvents(run);
  differences.push(...foldProblems(state, events), ...(await pastProblems(state, events, journal)));
  return {
    run,
    seq: events.length,
    events: all.length,
    isProved: differences.length + unproved.length === 0,
    differences: differences.sort((a, b) => a.seq - b.seq),
    unproved,
    derived,
    taken: events.length - derived,
    report: report(state),
  };
}

function upTo(run: string, { length }: readonly Event[], to = length): number {
  if (Number.isInteger(to) && to >= 1 && to <= length) return to;
  throw noEvent(run, to, length);
}

function typeAt(events: readonly Event[], seq: number): FactType {
  return (events[seq - 1] ?? events[0])?.type ?? 'run_started';
}

/** Folds a copy again in one pass, to prove that the checks did not change the state. */
function foldProblems(state: RunState, events: readonly Event[]): Difference[] {
  const again = fold(jsonCopy(events));
  if (again !== undefined && snapshot(again) === snapshot(state)) return [];
  const { seq = 1, type = 'run_started' } = events.at(-1) ?? {};
  return [{ seq, type, message: 'folding the journal twice gives two states, which is a bug in Dandori' }];
}

/** The past of a fork must match its source, if that still exists. */
async function pastProblems(
  { forkedFrom }: RunState,
  events: readonly Event[],
  journal: Pick<Journal, 'read'>,
): Promise<Difference[]> {
  if (forkedFrom === undefined) return [];
  const theirs = await journal.read(forkedFrom.run).catch((): Event[] => []);
  const past = theirs.slice(0, Math.min(forkedFrom.seq, events.length));
  return past.flatMap((event, index) => {
    const own = events[index];
    if (own === undefined || factText(own) === factText(event)) return [];
    const { seq, type } = own;
    return [
      { seq, type, message: `the run ${forkedFrom.run} that it was forked from has another event there` },
    ];
  });
}
