import { useEffect, useLayoutEffect, useRef } from 'react';

/** So near to the end one is at the end. */
const NEAR = 120;

/** Who reads the end goes on reading it while more is written; who has scrolled back is left alone. */
export function useStick(content: unknown): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = window.scrollY + window.innerHeight > scrollHeight - NEAR;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  // Whenever there is more to read.
  useLayoutEffect(() => {
    if (isAtEnd.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [content]);
}
