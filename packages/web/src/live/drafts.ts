import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
/** What the tab's own store has no room for. */
const unkept = new Map<string, string>();
const PREFIX = 'dandori.draft.';

/** What a person has written and not sent, kept for this tab also when it is loaded again. */
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
  /** For who leaves: whoever comes next is somebody else. */
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

/** The name under which the edits of a plan that waits are kept. */
export function draftKey(run: string, about: string): string {
  return `plan.${run}.${about}`;
}

/** What a person has changed in a text. Undefined where nothing is. */
export function useDraft(key: string): readonly [string | undefined, (text: string | undefined) => void] {
  const kept = useSyncExternalStore(drafts.subscribe, () => drafts.get(key));
  return [kept, (text) => drafts.set(key, text)];
}
