import { createHash } from 'node:crypto';
import type { Event } from '../../src/model/event.ts';
import { canonicalJson, type Json, normalise } from '../../src/model/json.ts';
import { decide } from '../../src/run/decide.ts';
import { apply } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { report } from '../../src/views/report.ts';

/** An hour after the event: retries are due, holds and questions may be over, the time may be up. */
const LATER = 3_600_000;

/** What is shown and what is decided after each event of a journal, without the sentences in it. */
function goldenOf(events: readonly Event[]): Json[] {
  let state: RunState | undefined;
  return events.map((event) => {
    state = apply(state, event);
    const { at } = event;
    return structureOf({
      report: report(state),
      now: decide(state, at),
      later: decide(state, at + LATER),
    });
  });
}

/** One short digest for each event. */
export function digestsOf(events: readonly Event[]): string[] {
  return goldenOf(events).map((value) =>
    createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 12),
  );
}

/** Sentences may change with the language and the version. Codes, values and what was said in the journal may not. */
export function structureOf(value: unknown): Json {
  return withoutSentences(normalise(value) as Json);
}

function withoutSentences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSentences);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    if (name === 'message' || (name === 'reason' && value.type === 'abort_calls')) return [];
    // What a failure is called was added later; its kind was always there.
    if (typeof value.kind === 'string' && (name === 'code' || name === 'params')) return [];
    if (name === 'missing' && Array.isArray(item)) return [[name, item.length]];
    return [[name, withoutSentences(item)]];
  });
  return Object.fromEntries(kept);
}
