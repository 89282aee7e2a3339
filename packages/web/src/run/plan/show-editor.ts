import { type RefObject, useEffect } from 'react';

const WANTED = 'dandori:show-plan-editor';
let isWanted = false;

/** Brings the editor of the plan into view, as soon as it is there. */
export function showEditor(): void {
  isWanted = true;
  dispatchEvent(new Event(WANTED));
}

/** The editor is below the question that leads to it, so it would open out of sight. */
export function useShownEditor(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const show = () => {
      if (!isWanted || place.current === null) return;
      isWanted = false;
      place.current.scrollIntoView({ block: 'start' });
      place.current.querySelector('textarea')?.focus({ preventScroll: true });
    };
    show();
    addEventListener(WANTED, show);
    return () => removeEventListener(WANTED, show);
  }, [place]);
}
