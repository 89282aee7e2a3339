import type { Event, Live } from '../model/event.ts';

/** Passes the events and live updates of this process to the listeners of each run. */
export interface News {
  publish(news: Event | Live): void;
  listen(run: string, heard: (news: Event | Live) => void): () => void;
}

export function createNews(): News {
  const listeners = new Map<string, Set<(news: Event | Live) => void>>();
  return {
    publish(news) {
      for (const heard of listeners.get(news.run) ?? []) heard(news);
    },
    listen(run, heard) {
      const all = listeners.get(run) ?? new Set();
      listeners.set(run, all.add(heard));
      return () => {
        all.delete(heard);
        if (all.size === 0) listeners.delete(run);
      };
    },
  };
}
