import { useEffect, useMemo, useRef } from 'react';
import type { Event } from '#dandori/model/event.ts';
import { apply } from '#dandori/run/state/apply.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import type { RunNews } from './run-feed.ts';

/** States of earlier moments. */
interface Moments {
  /**
   * The state as it was after event `seq`. It may be one that was given before, moved on: only the last that was given
   * is as it was asked for.
   */
  at(seq: number): RunState | undefined;
  /** Folds a little more, so that a jump back need not begin at the beginning. False where all is prepared. */
  prepare(): boolean;
}

/** So many states are kept ready, spread over the run. */
const SPARES = 6;
/** Fewer events than that are folded at once. */
const FEW = 4_000;
/** Of one `prepare`: a few milliseconds. */
const PORTION = 1_500;

interface Folded {
  seq: number;
  state: RunState | undefined;
}

/**
 * Of a run that may still grow: what is over stays as it is. `apply` changes a state in place, so each moment that is to be kept is a fold of its own.
 *
 * M1  To go forward costs the events in between.
 * M2  To go back costs the events from the nearest state that is kept ready, which is then ready no more.
 */
export function createMoments(known: () => readonly Event[]): Moments {
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

  /** The first place at which a state should stand ready and none does. */
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
      // What was jumped over often enough is too many.
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
  readonly news: RunNews;
  readonly isPast: boolean;
}

/** The run as it is now or, with a `seq` that is over, as it was then. */
export function useShown(news: RunNews, seq: number | undefined): Shown {
  const isPast = seq !== undefined && seq < (news.state?.seq ?? 0);
  const events = useRef<readonly Event[]>([]);
  events.current = news.events;
  const moments = useMemo(() => createMoments(() => events.current), []);
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
