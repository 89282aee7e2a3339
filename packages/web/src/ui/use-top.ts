import { type RefObject, useEffect, useState } from 'react';

/** How far below the top of the page an element begins, also when what stands above it grows. */
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
