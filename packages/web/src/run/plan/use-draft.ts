import { useSyncExternalStore } from 'react';
import { drafts } from '../../live/drafts.ts';

/** The name under which the edits of a plan that waits are kept. */
export function draftKey(run: string, about: string): string {
  return `plan.${run}.${about}`;
}

/** What a person has changed in a text. Undefined where nothing is. */
export function useDraft(key: string): readonly [string | undefined, (text: string | undefined) => void] {
  const kept = useSyncExternalStore(drafts.subscribe, () => drafts.get(key));
  return [kept, (text) => drafts.set(key, text)];
}
