import { isWatched, onAttention } from './attention.ts';

/** Something that changes while the page shows it. */
export interface Feed<T> {
  current(): T;
  subscribe(listener: () => void): () => void;
}

/** Says that there is news; it is made when somebody is told, once a frame, however often it was said. */
export type Tell<T> = (make: () => T) => void;

/**
 * Follows for as long as anybody listens and sees the page: a browser has six connections for a server, and a tab in
 * the background must not hold one of them. `follow` is called again when there may be more to hear, after it has come
 * to its end or was let go, and goes on where it was.
 */
export function createFeed<T>(
  nothing: T,
  follow: (tell: Tell<T>, signal: AbortSignal) => Promise<void>,
): Feed<T> {
  const listeners = new Set<() => void>();
  let news = nothing;
  let following: AbortController | undefined;
  let isDue = false;
  let ignore = () => {};

  function look(): void {
    if (listeners.size === 0 || !isWatched()) {
      following?.abort();
      following = undefined;
    } else if (following === undefined) void begin();
    // It may be about to come to its end.
    else isDue = true;
  }

  async function begin(): Promise<void> {
    const own = new AbortController();
    const { signal } = own;
    following = own;
    isDue = false;
    let latest: (() => T) | undefined;
    const show = () => {
      if (signal.aborted || latest === undefined) return;
      news = latest();
      latest = undefined;
      for (const listener of listeners) listener();
    };
    await follow((make) => {
      if (latest === undefined) soon(show);
      latest = make;
    }, signal);
    if (following !== own) return;
    following = undefined;
    if (isDue) look();
  }

  return {
    current: () => news,
    subscribe(listener) {
      if (listeners.size === 0) ignore = onAttention(look);
      listeners.add(listener);
      look();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) ignore();
        look();
      };
    },
  };
}

/** A tab in the background has no frames, and must not fall behind for that. */
function soon(act: () => void): void {
  if (document.hidden) setTimeout(act, 250);
  else requestAnimationFrame(act);
}
