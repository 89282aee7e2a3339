import { useEffect, useEffectEvent, useState } from 'react';

interface Player {
  readonly seq: number;
  readonly total: number;
  readonly show: (seq: number) => void;
  readonly isPast: boolean;
}

const EVERY = 120;
/** However long a run is, it plays in about half a minute. */
const PICTURES = 250;

export function usePlaying({ seq, total, show, isPast }: Player): [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setIsPlaying] = useState(false);
  const goOn = useEffectEvent(() => {
    const next = seq + Math.max(1, Math.round(total / PICTURES));
    show(next);
    if (next >= total) setIsPlaying(false);
  });
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(goOn, EVERY);
    return () => clearInterval(timer);
  }, [isPlaying]);
  return [
    isPlaying,
    (wanted) => {
      // From the end one begins again.
      if (wanted && !isPast) show(1);
      setIsPlaying(wanted);
    },
  ];
}
