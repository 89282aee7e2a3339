import { useEffect, useMemo, useRef } from 'react';
import type { Event } from '#dandori/model/event.ts';
import { apply } from '#dandori/run/state/apply.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import type { ShownRun } from './run-feed.ts';

/** The states of a run after earlier events. */
interface PastStates {
  /**
   * The state after event `seq`. A later call may change a state that was returned before, so only the last one is
   * valid.
   */
  at(seq: number): RunState | undefined;
  /** Folds a few more events in advance, so that a jump back is quick. False if everything is prepared. */
  prepare(): boolean;
}

/** States kept ready, spread over the run. */
const SPARES = 6;
/** A run with fewer events is folded on demand. */
const FEW = 4_000;
/** Events per `prepare`: a few milliseconds. */
const PORTION = 1_500;

interface Folded {
  seq: number;
  state: RunState | undefined;
}

/**
 * The run may still grow; past events never change. `apply` changes a state in place, so each kept state is a fold of
 * its own.
 *
 * M1  Going forward costs the events in between.
 * M2  Going back folds from the nearest kept state. That state is then no longer available.
 */
export function createPastStates(known: () => readonly Event[]): PastStates {
  const ready: Folded[] = [];
  let preparing: (Folded & { readonly goal: number }) | undefined;

  function forward(folded: Folded, seq: number): Folded {
    const events = known();
    // Events are numbered from 1 without gaps.
    for (; folded.seq < seq; folded.seq++) {
      const event = events[folded.seq];
      if (event === undefined) break;
      folded.state = apply(folded.state, event);
    }
    return folded;
  }

  function nearest(seq: number): Folded | undefined {
    const below = ready.filter((one) => one.seq <= seq);
    return below.reduce<Folded | undefined>(
      (best, one) => (best && best.seq >= one.seq ? best : one),
      undefined,
    );
  }

  /** The first event at which a state should be kept ready and is not. */
  function missing(): number | undefined {
    const { length } = known();
    if (length <= FEW) return undefined;
    const stride = Math.floor(length / SPARES);
    const goals = Array.from({ length: SPARES - 1 }, (_, index) => (index + 1) * stride);
    return goals.find((goal) => !ready.some(({ seq }) => seq > goal - stride && seq <= goal));
  }

  return {
    at(seq) {
      const folded = nearest(seq) ?? { seq: 0, state: undefined };
      if (!ready.includes(folded)) ready.push(folded);
      // Jumps may leave too many states behind.
      if (ready.length > 2 * SPARES)
        ready.splice(
          ready.findIndex((one) => one !== folded),
          1,
        );
      return forward(folded, seq).state;
    },
    prepare() {
      if (preparing === undefined) {
        const goal = missing();
        if (goal === undefined) return false;
        preparing = { seq: 0, state: undefined, goal };
      }
      forward(preparing, Math.min(preparing.seq + PORTION, preparing.goal));
      if (preparing.seq < preparing.goal) return true;
      ready.push({ seq: preparing.seq, state: preparing.state });
      preparing = undefined;
      return true;
    },
  };
}

interface Shown {
  readonly state: RunState | undefined;
  readonly events: readonly Event[];
  readonly news: ShownRun;
  readonly isPast: boolean;
}

/** The run as it is now or, with an earlier `seq`, as it was then. */
export function useShown(news: ShownRun, seq: number | undefined): Shown {
  const isPast = seq !== undefined && seq < (news.state?.seq ?? 0);
  const events = useRef<readonly Event[]>([]);
  events.current = news.events;
  const moments = useMemo(() => createPastStates(() => events.current), []);
  useEffect(() => {
    if (!isPast) return;
    let timer = setTimeout(function work() {
      if (moments.prepare()) timer = setTimeout(work, 8);
    }, 200);
    return () => clearTimeout(timer);
  }, [moments, isPast, seq]);
  return useMemo(
    () =>
      isPast
        ? { state: moments.at(seq), events: news.events.slice(0, seq), news: { ...news }, isPast }
        : { state: news.state, events: news.events, news, isPast },
    [moments, news, seq, isPast],
  );
}
