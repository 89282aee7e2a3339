import { useEffect, useState } from 'react';

/** Milliseconds without a change. */
const SETTLED = 300;

/** The value once it has not changed for a while, for text that is being typed. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
