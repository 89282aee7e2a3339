import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
/** Drafts that do not fit into the session storage. */
const unkept = new Map<string, string>();
const PREFIX = 'dandori.draft.';

/** Texts that the user has written but not sent. They survive a reload of the tab. */
export const drafts = {
  get: (name: string): string | undefined =>
    unkept.get(name) ?? sessionStorage.getItem(PREFIX + name) ?? undefined,
  set(name: string, text: string | undefined): void {
    unkept.delete(name);
    sessionStorage.removeItem(PREFIX + name);
    try {
      if (text !== undefined) sessionStorage.setItem(PREFIX + name, text);
    } catch {
      if (text !== undefined) unkept.set(name, text);
    }
    tell();
  },
  /** On sign-out: the next user of the tab must not see them. */
  forget(): void {
    unkept.clear();
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
    tell();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function tell(): void {
  for (const listener of listeners) listener();
}

/** The name of the draft of an edited plan. */
export function draftKey(run: string, about: string): string {
  return `plan.${run}.${about}`;
}

/** The draft of a text; undefined if it has no changes. */
export function useDraft(key: string): readonly [string | undefined, (text: string | undefined) => void] {
  const kept = useSyncExternalStore(drafts.subscribe, () => drafts.get(key));
  return [kept, (text) => drafts.set(key, text)];
}
