import type { ReactNode } from 'react';
import type { Event } from '#dandori/model/event.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { duration } from '#dandori/views/report.ts';
import { useNow } from '../live/now.tsx';
import type { RunNews } from '../live/run-feed.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/run.ts';
import { Choice } from '../ui/fields.tsx';

/** What every view of a run is given. */
export interface ViewProps {
  readonly run: string;
  /** At the moment that is shown. It is changed in place, so what is derived from it depends on `news` too. */
  readonly state: RunState;
  /** Up to the moment that is shown. */
  readonly events: readonly Event[];
  /** All that is known. Another object for every moment that is shown. */
  readonly news: RunNews;
  /** An earlier moment is shown, in which nothing can be done. */
  readonly isPast: boolean;
  /** The task whose details are open. */
  readonly selected: string | undefined;
  readonly select: (task: string | undefined) => void;
  /** Shows the run as it was after this event; undefined shows it as it is now. */
  readonly showAt: (seq: number | undefined) => void;
}

interface ViewHeadProps<T extends string> {
  /** What the view can be shown as, the first by itself. */
  readonly shapes: readonly T[];
  readonly shape: T;
  readonly onShape: (shape: T) => void;
  readonly texts: { readonly shape: string; readonly shapes: Readonly<Record<T, string>> };
  readonly children: ReactNode;
}

/** Above a view of the run: what it is shown as, and what belongs to that. */
export function ViewHead<T extends string>({ shapes, shape, onShape, texts, children }: ViewHeadProps<T>) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-sm">
      <Choice
        label={texts.shape}
        value={shape}
        options={shapes}
        texts={texts.shapes}
        onChoose={onShape}
        isBare
      />
      {children}
    </div>
  );
}

interface SwitchProps {
  readonly isOn: boolean;
  readonly onSwitch: (isOn: boolean) => void;
  readonly text: string;
}

export function ViewSwitch({ isOn, onSwitch, text }: SwitchProps) {
  return (
    <label className="flex items-center gap-1.5">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onSwitch(target.checked)} />
      {text}
    </label>
  );
}

export function EmptyView({ text }: { readonly text: string }) {
  return <p className="rounded border border-line border-dashed p-8 text-center text-faint">{text}</p>;
}

interface ZoomButtonsProps {
  readonly onIn: () => void;
  readonly onOut: () => void;
  readonly onFit: () => void;
  /** Where they stand. */
  readonly className: string;
  readonly isUpright?: boolean;
}

export function ZoomButtons({ onIn, onOut, onFit, className, isUpright = false }: ZoomButtonsProps) {
  const say = useTexts(texts);
  const buttons = [
    ['+', say.zoomIn, onIn],
    ['−', say.zoomOut, onOut],
    ['⤢', say.fit, onFit],
  ] as const;
  const between = isUpright ? 'md:not-last:border-r-0 md:not-last:border-b' : '';
  return (
    <div
      className={`absolute flex overflow-hidden rounded border border-line bg-sheet shadow-sm ${isUpright ? 'md:flex-col' : ''} ${className}`}
    >
      {buttons.map(([sign, name, act]) => (
        <button
          key={sign}
          type="button"
          aria-label={name}
          title={name}
          onClick={act}
          className={`size-8 border-line not-last:border-r hover:bg-sunken focus-visible:outline-offset-[-2px] ${between}`}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}

interface ElapsedProps {
  /** Milliseconds that are over. */
  readonly ms?: number | undefined;
  /** Since when it goes on; absent where it does not. */
  readonly since?: number | undefined;
}

/** How long something took, or has taken so far. */
export function Elapsed({ ms, since }: ElapsedProps) {
  const now = useNow({ isMoving: since !== undefined });
  if (ms === undefined && since === undefined) return null;
  const running = since === undefined ? 0 : Math.max(0, now - since);
  return <span className="tabular-nums">{duration((ms ?? 0) + running)}</span>;
}
