import { duration } from '#dandori/views/report.ts';
import { useNow } from '../live/now.tsx';

interface Props {
  /** Milliseconds that are over. */
  readonly ms?: number | undefined;
  /** Since when it goes on; absent where it does not. */
  readonly since?: number | undefined;
}

/** How long something took, or has taken so far. */
export function Elapsed({ ms, since }: Props) {
  const now = useNow({ isMoving: since !== undefined });
  if (ms === undefined && since === undefined) return null;
  const running = since === undefined ? 0 : Math.max(0, now - since);
  return <span className="tabular-nums">{duration((ms ?? 0) + running)}</span>;
}
