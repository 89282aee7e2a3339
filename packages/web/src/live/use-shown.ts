import { useEffect, useMemo, useRef } from 'react';
import type { Event } from '#dandori/model/event.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { createMoments } from './moment.ts';
import type { RunNews } from './run-feed.ts';

export interface Shown {
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
