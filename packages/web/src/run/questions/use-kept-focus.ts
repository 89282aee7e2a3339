import { type RefObject, useEffect, useRef } from 'react';

/**
 * A card that was answered goes, and the button that had the focus with it. Its place takes the focus then, so that
 * whoever works with the keyboard or listens goes on from there and not from the top of the page.
 */
export function useKeptFocus(
  open: readonly { readonly id: string }[],
  handled: ReadonlySet<string>,
): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  const gone = [...handled].filter((id) => open.every((question) => question.id !== id)).length;
  useEffect(() => {
    if (gone > 0 && isLost(document.activeElement)) place.current?.focus({ preventScroll: true });
  }, [gone]);
  return place;
}

/** A button that was pressed is disabled until it goes. */
function isLost(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.matches(':disabled');
}
