import { type RefObject, useEffect } from 'react';

const HEIGHT = '--stuck-below';

/** What is scrolled to comes to stand above the element that sticks to the lower edge, and not behind it. */
export function useRoomAbove(stuck: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { style } = document.documentElement;
    const sizes = new ResizeObserver(([entry]) => {
      const height = entry?.target.getBoundingClientRect().height ?? 0;
      style.setProperty(HEIGHT, `${Math.ceil(height)}px`);
    });
    if (stuck.current !== null) sizes.observe(stuck.current);
    return () => {
      sizes.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, [stuck]);
}
