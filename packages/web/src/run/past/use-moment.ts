import { useEffect, useRef, useState } from 'react';
import { goTo, type RunView } from '../../shell/route.tsx';

interface Here {
  readonly run: string;
  readonly view: RunView;
  readonly seq: number | undefined;
}

/** Browsers limit how often the address can be changed. */
const PAUSE = 250;

/**
 * The event that is shown. The address keeps it; while the slider moves, the address follows when it rests.
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
          // Only entering or leaving the past adds a step to the browser's history.
          { replace: (next === undefined) === (seq === undefined) },
        );
      }, PAUSE);
    },
  ];
}
