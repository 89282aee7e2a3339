import type { Event } from '#dandori/model/event.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import type { RunNews } from '../live/run-feed.ts';

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
