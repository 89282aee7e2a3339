import type { FactOf } from '../../model/event.ts';

/** The journal position of the run, and whether it was paused, cancelled, ended or rated. */
export interface Control {
  /** The `seq` of the last event. */
  seq: number;
  paused: FactOf<'run_paused'>['data'] | undefined;
  cancel: FactOf<'cancel_requested'>['data'] | undefined;
  end: (FactOf<'run_finished'>['data'] & { readonly at: number }) | undefined;
  /** The user's rating. The last one counts. */
  rating: FactOf<'run_rated'>['data'] | undefined;
}

export function createControl(seq: number): Control {
  return { seq, paused: undefined, cancel: undefined, end: undefined, rating: undefined };
}

/** The first request counts, with its reason. */
export function cancelRequested(control: Control, data: FactOf<'cancel_requested'>['data']): void {
  control.cancel ??= data;
}

export function runPaused(control: Control, data: FactOf<'run_paused'>['data']): void {
  control.paused ??= data;
}

/** Opens an exhausted run again. Any other end is final. Returns whether the run was opened. */
export function reopened(control: Control): boolean {
  if (control.end?.outcome !== 'exhausted') return false;
  control.end = undefined;
  return true;
}
