import type { Report } from '../core/report.ts';
import type { Diagnostic } from '../domain/diagnostic.ts';
import type { ErrorCode } from '../domain/error.ts';
import type { Estimate } from '../domain/estimate.ts';
import type { Event } from '../domain/event.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import type { RunSummary } from '../ports/journal.ts';
import type { MissingServer } from '../ports/toolbox.ts';

/** What goes over the wire, for both ends of it. */

/** An error as HTTP tells it (RFC 9457), with the code and the fix that Dandori's errors have. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly fix?: string;
  /** Of a plan that cannot be used. */
  readonly diagnostics?: readonly Diagnostic[];
}

/** What a run is doing as far as the server is concerned. */
export type DrivingState = 'driving' | 'queued' | 'idle';

export interface RunPage {
  readonly runs: readonly RunSummary[];
  /** `before` of the next page, where there may be one. */
  readonly next?: string;
}

export interface RunNow {
  readonly report: Report;
  readonly driving: DrivingState;
}

export interface EventPage {
  readonly events: readonly Event[];
  /** `after` of the next page. */
  readonly next?: number;
}

export interface PlanOfRun {
  readonly goal: string;
  readonly tasks: readonly Task[];
}

export interface CheckedPlan {
  readonly ok: boolean;
  readonly diagnostics?: readonly PlacedDiagnostic[];
  readonly warnings?: readonly PlacedDiagnostic[];
  readonly estimate?: Estimate;
}

/** With the place in the text that was sent. `plan-invalid` where that cannot be read as a plan at all. */
export interface PlacedDiagnostic extends Omit<Diagnostic, 'code'> {
  readonly code: Diagnostic['code'] | 'plan-invalid';
  readonly line: number;
  readonly column: number;
}

export interface ToolList {
  readonly tools: readonly Tool[];
  readonly missing: readonly MissingServer[];
}
