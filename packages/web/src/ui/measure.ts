import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react';

/** The distance of an element from the top of the page. It follows changes of the layout. */
export function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useEffect(() => {
    const look = () => setTop((element.current?.getBoundingClientRect().top ?? 0) + window.scrollY);
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}

/** The current width of an element; 0 before it is mounted. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** Whether the page has the width of a phone. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(onWidth, () => matchMedia(NARROW).matches);
}

const NARROW = '(width < 48rem)';

function onWidth(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
