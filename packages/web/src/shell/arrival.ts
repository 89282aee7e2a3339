import { type RefObject, useEffect, useRef } from 'react';
import { addressOf, type Route } from './route.tsx';

/** Who goes to another view starts at its top, with the keyboard and with a screen reader too. */
export function useArrival(route: Route): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const place = placeOf(route);
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [place]);
  return content;
}

/** The views of one run are tabs of one place: there the focus stays on the tab. */
function placeOf(route: Route): string {
  if (route.at === 'run') return `/runs/${route.run}`;
  return addressOf(route).split('?')[0] ?? '/';
}
