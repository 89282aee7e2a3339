import type { FactOf } from '../../model/event.ts';

/** Whether the run may go on: where its journal is, and who has paused, cancelled, ended or rated it. */
export interface Control {
  /** Of the last event. */
  seq: number;
  paused: FactOf<'run_paused'>['data'] | undefined;
  cancel: FactOf<'cancel_requested'>['data'] | undefined;
  end: (FactOf<'run_finished'>['data'] & { readonly at: number }) | undefined;
  /** What a person thinks of it. The last rating counts. */
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

/** A run that was exhausted is open again; any other end stays. True where it was opened. */
export function reopened(control: Control): boolean {
  if (control.end?.outcome !== 'exhausted') return false;
  control.end = undefined;
  return true;
}
