import type { Client, DrivingState, RunUpdate } from 'dandori/client';
import { useMemo, useSyncExternalStore } from 'react';
import type { Event } from '#dandori/model/event.ts';
import { isFactType } from '#dandori/model/event-kinds.ts';
import { apply } from '#dandori/run/state/apply.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { useClient } from '../shell/session.tsx';
import { createFeed, type Feed } from './feed.ts';
import { OutdatedPage } from './outdated.ts';

/** The progress of a call. It is streamed only and not in the journal. */
interface Progress {
  readonly message: string;
  readonly fraction?: number;
}

/** The run as the page knows it. Each change makes a new object, but `state` in it is changed in place. */
export interface ShownRun {
  readonly events: readonly Event[];
  /** Undefined until the first event has arrived. */
  readonly state: RunState | undefined;
  readonly driving: DrivingState | undefined;
  /** The final answer while it is being written. */
  readonly answer: string;
  readonly progress: ReadonlyMap<string, Progress>;
  readonly error: unknown;
}

const NOTHING: ShownRun = {
  events: [],
  state: undefined,
  driving: undefined,
  answer: '',
  progress: new Map(),
  error: undefined,
};

/** How long the stream of an ended run stays open: the driving state arrives after the last event. */
const REST_AFTER_MS = 1_000;

/**
 * Follows a run and folds it with the same function as the engine. A run that has ended needs no stream; it is read
 * again when the page becomes visible or after a mutation.
 */
function createRunFeed(client: Pick<Client, 'follow'>, run: string): Feed<ShownRun> {
  const events: Event[] = [];
  const progress = new Map<string, Progress>();
  let { state, driving, answer, error } = NOTHING;
  const news = () => ({ events: [...events], state, driving, answer, progress: new Map(progress), error });

  function hear(followed: RunUpdate): void {
    if (followed.kind === 'event') {
      const { event } = followed;
      if (!isFactType(event.type)) throw new OutdatedPage(event.type);
      events.push(event);
      state = apply(state, event);
      // The text is now in an event, or it was discarded.
      if (event.type === 'decision_made' || event.type === 'decision_failed') answer = '';
      if ('task' in event.data && event.type !== 'task_started') progress.delete(String(event.data.task));
    } else if (followed.kind === 'driving') driving = followed.state;
    else if (followed.kind === 'answer') answer = followed.text;
    else if (followed.live.type === 'answer_text') answer += followed.live.text;
    else if (followed.live.type === 'task_progress') progress.set(followed.live.task, followed.live);
  }

  return createFeed(NOTHING, async (tell, signal) => {
    const rest = new AbortController();
    let resting: ReturnType<typeof setTimeout> | undefined;
    // The server sends live values again, and the driving state after all events.
    driving = undefined;
    answer = '';
    error = undefined;
    progress.clear();
    try {
      const until = AbortSignal.any([signal, rest.signal]);
      for await (const followed of client.follow(run, { after: events.length, signal: until })) {
        hear(followed);
        tell(news);
        clearTimeout(resting);
        if (state?.end !== undefined && driving === 'idle')
          resting = setTimeout(() => rest.abort(), REST_AFTER_MS);
      }
    } catch (thrown) {
      error = thrown;
      tell(news);
    } finally {
      clearTimeout(resting);
    }
  });
}

export function useRun(run: string): ShownRun {
  const client = useClient();
  const feed = useMemo(() => createRunFeed(client, run), [client, run]);
  return useSyncExternalStore(feed.subscribe, feed.current);
}
