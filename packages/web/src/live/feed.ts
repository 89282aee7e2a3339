import { isWatched, onAttention } from './page-visibility.ts';

/** Something that changes while the page shows it. */
export interface Feed<T> {
  current(): T;
  subscribe(listener: () => void): () => void;
}

/** Announces news. `make` is called at most once per frame. */
export type Announce<T> = (make: () => T) => void;

/**
 * Follows while a component listens and the page is visible: a browser has six connections per server, and a tab in
 * the background must not hold one of them. `follow` is called again when there may be news, after it ended or was
 * aborted, and continues where it was.
 */
export function createFeed<T>(
  nothing: T,
  follow: (tell: Announce<T>, signal: AbortSignal) => Promise<void>,
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
    // The current follow may be about to end.
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

/** A tab in the background has no frames but must not fall behind. */
function soon(act: () => void): void {
  if (document.hidden) setTimeout(act, 250);
  else requestAnimationFrame(act);
}
