import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
/** What the tab's own store has no room for. */
const unkept = new Map<string, string>();

/** The name under which the edits of a plan that waits are kept. */
export function draftKey(run: string, about: string): string {
  return `dandori.plan.${run}.${about}`;
}

/** What a person has changed in a text, kept for this tab also when it is loaded again. Undefined where nothing is. */
export function useDraft(key: string): readonly [string | undefined, (text: string | undefined) => void] {
  const kept = useSyncExternalStore(subscribe, () => unkept.get(key) ?? sessionStorage.getItem(key));
  return [kept ?? undefined, (text) => keep(key, text)];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function keep(key: string, text: string | undefined): void {
  unkept.delete(key);
  sessionStorage.removeItem(key);
  try {
    if (text !== undefined) sessionStorage.setItem(key, text);
  } catch {
    if (text !== undefined) unkept.set(key, text);
  }
  for (const listener of listeners) listener();
}
