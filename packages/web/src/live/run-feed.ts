import type { Client, DrivingState } from 'dandori/client';
import { apply } from '#core/apply.ts';
import type { RunState } from '#core/state.ts';
import type { Event } from '#domain/event.ts';

/** What of a call is heard only while somebody listens. */
export interface Progress {
  readonly message: string;
  readonly fraction?: number;
}

/** A run as the page has it now. A new one is made whenever something changed; `state` within is changed in place. */
export interface RunNews {
  readonly events: readonly Event[];
  /** Undefined until the first event is there. */
  readonly state: RunState | undefined;
  readonly driving: DrivingState | undefined;
  /** The answer as it is being written. */
  readonly answer: string;
  readonly progress: ReadonlyMap<string, Progress>;
  readonly error: unknown;
}

export interface RunFeed {
  current(): RunNews;
  subscribe(listener: () => void): () => void;
}

const NOTHING: RunNews = {
  events: [],
  state: undefined,
  driving: undefined,
  answer: '',
  progress: new Map(),
  error: undefined,
};

/**
 * Follows a run for as long as anybody listens and folds it with the very function that the engine folds it with.
 * Listeners are told once a frame, however many events came.
 */
export function createRunFeed(client: Pick<Client, 'follow'>, run: string): RunFeed {
  const listeners = new Set<() => void>();
  let news = NOTHING;
  let following: AbortController | undefined;

  async function follow(signal: AbortSignal): Promise<void> {
    const events: Event[] = [];
    const progress = new Map<string, Progress>();
    let { state, driving, answer, error } = NOTHING;
    const tell = oncePerFrame(() => {
      if (signal.aborted) return;
      news = { events: [...events], state, driving, answer, progress: new Map(progress), error };
      for (const listener of listeners) listener();
    });
    try {
      for await (const followed of client.follow(run, { signal })) {
        if (followed.kind === 'event') {
          const { event } = followed;
          events.push(event);
          state = apply(state, event);
          // What was written so far is in a fact now, or is void.
          if (event.type === 'decision_made' || event.type === 'decision_failed') answer = '';
          if ('task' in event.data && event.type !== 'task_started') progress.delete(String(event.data.task));
        } else if (followed.kind === 'driving') driving = followed.state;
        else if (followed.kind === 'answer') answer = followed.text;
        else if (followed.live.type === 'answer_text') answer += followed.live.text;
        else if (followed.live.type === 'task_progress') progress.set(followed.live.task, followed.live);
        tell();
      }
    } catch (thrown) {
      error = thrown;
      tell();
    }
  }

  return {
    current: () => news,
    subscribe(listener) {
      listeners.add(listener);
      if (following === undefined) {
        following = new AbortController();
        void follow(following.signal);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        following?.abort();
        following = undefined;
      };
    },
  };
}

function oncePerFrame(act: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    // A tab in the background has no frames, and must not fall behind for that.
    const soon = document.hidden ? (then: () => void) => setTimeout(then, 250) : requestAnimationFrame;
    soon(() => {
      isComing = false;
      act();
    });
  };
}
