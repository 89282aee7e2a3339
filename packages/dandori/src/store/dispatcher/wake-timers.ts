import type { Clock } from '../../model/clock.ts';

/** The times at which runs are driven again: one timer per run, and the wakes for later that were asked for. */
export class WakeTimers {
  readonly #clock: Clock;
  readonly #wake: (run: string) => void;
  readonly #timers = new Map<string, { readonly at: number; cancel(): void }>();
  /** A drive before such a time must not take it away. */
  readonly #askedFor = new Map<string, ReadonlySet<number>>();
  #isClosed = false;

  constructor(clock: Clock, wake: (run: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Wakes the run after `ms`, and not before. */
  wakeAfter(run: string, ms: number): void {
    this.#cancel(run);
    if (this.#isClosed) return;
    const at = this.#clock.now() + ms;
    this.#timers.set(run, { at, cancel: this.#clock.at(at, () => this.#wake(run)) });
  }

  /** Wakes the run at this time too, even if it is driven before. */
  ask(run: string, at: number): void {
    this.#askedFor.set(run, new Set([...(this.#askedFor.get(run) ?? []), at]));
    const next = this.#timers.get(run)?.at ?? Number.POSITIVE_INFINITY;
    if (at < next) this.wakeAfter(run, at - this.#clock.now());
  }

  /** Wakes a run that is parked at the time that it named or that was asked for, whichever comes first. */
  park(run: string, wakeAt = Number.POSITIVE_INFINITY): void {
    const next = Math.min(wakeAt, ...(this.#askedFor.get(run) ?? []));
    if (Number.isFinite(next)) this.wakeAfter(run, Math.max(next - this.#clock.now(), 0) + 1);
  }

  /** The run is driven now: its timer is over, and so are the times that have passed. */
  begun(run: string): void {
    this.#cancel(run);
    const later = [...(this.#askedFor.get(run) ?? [])].filter((at) => at > this.#clock.now());
    if (later.length > 0) this.#askedFor.set(run, new Set(later));
    else this.#askedFor.delete(run);
  }

  /** Nothing that was asked for counts any more. */
  forget(run: string): void {
    this.#askedFor.delete(run);
  }

  /** No timer runs after this. */
  close(): void {
    this.#isClosed = true;
    for (const run of [...this.#timers.keys()]) this.#cancel(run);
  }

  #cancel(run: string): void {
    this.#timers.get(run)?.cancel();
    this.#timers.delete(run);
  }
}
