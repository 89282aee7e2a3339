/** Something that changes while the page shows it. */
export interface Feed<T> {
  current(): T;
  subscribe(listener: () => void): () => void;
}

/** Says that there is news; it is made when somebody is told, once a frame, however often it was said. */
export type Tell<T> = (make: () => T) => void;

/** Follows for as long as anybody listens. */
export function createFeed<T>(
  nothing: T,
  follow: (tell: Tell<T>, signal: AbortSignal) => Promise<void>,
): Feed<T> {
  const listeners = new Set<() => void>();
  let news = nothing;
  let following: AbortController | undefined;

  function begin({ signal }: AbortController): void {
    let latest: (() => T) | undefined;
    const show = () => {
      if (signal.aborted || latest === undefined) return;
      news = latest();
      latest = undefined;
      for (const listener of listeners) listener();
    };
    const tell: Tell<T> = (make) => {
      if (latest === undefined) soon(show);
      latest = make;
    };
    void follow(tell, signal);
  }

  return {
    current: () => news,
    subscribe(listener) {
      listeners.add(listener);
      if (following === undefined) {
        following = new AbortController();
        begin(following);
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

/** A tab in the background has no frames, and must not fall behind for that. */
function soon(act: () => void): void {
  if (document.hidden) setTimeout(act, 250);
  else requestAnimationFrame(act);
}
