import { duration } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { LABELS } from './chart.tsx';
import { type Scale, ticksOf } from './scale.ts';
import { texts } from './texts.ts';

/** Pixels between two times that are written. */
const GAP = 90;

interface Props {
  readonly scale: Scale;
  readonly width: number;
  readonly window: { readonly from: number; readonly to: number };
}

/** Time since the start of the run, and where it is folded. */
export function Axis({ scale, width, window }: Props) {
  const say = useTexts(texts);
  const perPixel = scale.length / width;
  const from = Math.max(0, window.from * perPixel);
  const to = Math.min(scale.length, window.to * perPixel);
  const ticks = ticksOf(scale, { from, to, gap: GAP * perPixel });
  return (
    <div
      aria-hidden="true"
      className="sticky top-0 z-10 h-6 border-line border-b bg-sheet text-[11px] text-faint tabular-nums"
      style={{ width: width + LABELS + 16 }}
    >
      {ticks.map(({ place, ms }) => (
        <span
          key={ms}
          className="absolute bottom-0 whitespace-nowrap border-line border-l pl-1"
          style={{ left: LABELS + place / perPixel }}
        >
          {duration(ms)}
        </span>
      ))}
      {scale.folds.map(({ from: left, to: right, ms }) => (
        <span
          key={left}
          title={say.folded(duration(ms))}
          className="absolute inset-y-0 flex items-center justify-center overflow-hidden whitespace-nowrap bg-sunken text-warn"
          style={{ left: LABELS + left / perPixel, width: Math.max(10, (right - left) / perPixel) }}
        >
          ⋯
        </span>
      ))}
    </div>
  );
}
