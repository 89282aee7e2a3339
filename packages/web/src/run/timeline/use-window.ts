import { type RefObject, useEffect, useState } from 'react';

export interface Seen {
  readonly left: number;
  readonly width: number;
}

/** What of a scrolled area is in sight, from left to right. */
export function useWindow(area: RefObject<HTMLElement | null>): Seen {
  const [seen, setSeen] = useState<Seen>({ left: 0, width: 800 });
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const look = () => {
      const { scrollLeft: left, clientWidth: width } = element;
      setSeen((before) => (before.left === left && before.width === width ? before : { left, width }));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [area]);
  return seen;
}
