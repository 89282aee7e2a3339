import { useEffect, useRef, useState } from 'react';
import { goTo, type RunView } from '../../shell/route.tsx';

interface Here {
  readonly run: string;
  readonly view: RunView;
  readonly seq: number | undefined;
}

/** Browsers let an address be changed only so often. */
const PAUSE = 250;

/**
 * The moment that is shown. The address keeps it; while a slider moves, the address follows when it has come to rest.
 */
export function useMoment({ run, view, seq }: Here): [number | undefined, (seq: number | undefined) => void] {
  const [moment, setMoment] = useState(seq);
  const [known, setKnown] = useState(seq);
  if (seq !== known) {
    setKnown(seq);
    setMoment(seq);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const place = useRef({ run, view });
  place.current = { run, view };
  useEffect(() => () => clearTimeout(timer.current), []);
  return [
    moment,
    (next) => {
      setMoment(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        goTo(
          { at: 'run', ...place.current, ...(next !== undefined && { seq: next }) },
          // The way there is no place to go back to, but where one came from is.
          { replace: (next === undefined) === (seq === undefined) },
        );
      }, PAUSE);
    },
  ];
}
