import type { ReactNode } from 'react';
import type { Event } from '#dandori/model/event.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { durationText, outcomeOf } from '#dandori/views/report.ts';
import { useNow } from '../live/now.tsx';
import type { ShownRun } from '../live/run-feed.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/run.ts';
import { DRIVING_STATUS, type Status } from '../texts/words.ts';
import { Choice } from '../ui/fields.tsx';
import { useIsInterrupted } from '../ui/marks.tsx';

/** The props of every view of a run. */
export interface ViewProps {
  readonly run: string;
  /** The state that is shown. It is changed in place, so memos must depend on `news` too. */
  readonly state: RunState;
  /** Up to the event that is shown. */
  readonly events: readonly Event[];
  /** Everything known about the run. A new object for every state that is shown. */
  readonly news: ShownRun;
  /** An earlier state is shown, so there are no actions. */
  readonly isPast: boolean;
  /** The task whose details are open. */
  readonly selected: string | undefined;
  readonly select: (task: string | undefined) => void;
  /** Shows the run as it was after this event; undefined shows it as it is now. */
  readonly showAt: (seq: number | undefined) => void;
}

/** The status of the run. What the server does with an open run says more than that it is open. */
export function statusOfRun({ state, news, isPast }: Pick<ViewProps, 'state' | 'news' | 'isPast'>): Status {
  const status = outcomeOf(state);
  return status === 'open' && !isPast ? DRIVING_STATUS[news.driving ?? 'driving'] : status;
}

interface ViewHeadProps<T extends string> {
  /** The ways to show the view; the first is the default. */
  readonly shapes: readonly T[];
  readonly shape: T;
  readonly onShape: (shape: T) => void;
  readonly names: Readonly<Record<T, string>>;
  readonly children: ReactNode;
}

/** The controls above a view. */
export function ViewHead<T extends string>({ shapes, shape, onShape, names, children }: ViewHeadProps<T>) {
  const say = useTexts(texts);
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1 text-sm">
      <Choice label={say.shape} value={shape} options={shapes} texts={names} onChoose={onShape} isBare />
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
  /** Their position. */
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
  /** Milliseconds that have passed. */
  readonly ms?: number | undefined;
  /** When the running part started; undefined if nothing is running. */
  readonly since?: number | undefined;
}

/** A duration that may still grow. */
export function Elapsed({ ms, since: startedAt }: ElapsedProps) {
  const since = useIsInterrupted() ? undefined : startedAt;
  const now = useNow({ isMoving: since !== undefined });
  if (ms === undefined && since === undefined) return null;
  const running = since === undefined ? 0 : Math.max(0, now - since);
  return <span className="tabular-nums">{durationText((ms ?? 0) + running)}</span>;
}
