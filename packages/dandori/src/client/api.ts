import type { Standing } from '../conversation/drive-runs.ts';
import type { Asked } from '../conversation/interpret.ts';
import type { Written } from '../conversation/state.ts';
import type { Tally } from '../model/conversation.ts';
import type { ErrorCode } from '../model/error.ts';
import type { Event } from '../model/event.ts';
import type { Diagnostic, Estimate } from '../model/plan.ts';
import type { Task } from '../model/task.ts';
import type { Tool } from '../model/tool.ts';
import type { ConversationSummary, RunSummary } from '../store/journal.ts';
import type { MissingServer } from '../tools/toolbox.ts';
import type { AskedQuestion, Report } from '../views/report.ts';

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
/** `retrying`: the server could not drive it, and tries again. */
export type DrivingState = 'driving' | 'queued' | 'idle' | 'retrying';

/** For who comes while an answer is being written. */
export interface AnswerSoFar {
  readonly kind: 'answer';
  readonly run: string;
  readonly text: string;
}

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
  /** What the plan file says that it is for. */
  readonly goal?: string;
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

/** What a message became: a run, the answer to a question, or nothing, as it could answer several. */
export type Heard =
  | { readonly kind: 'begun'; readonly run: string }
  | { readonly kind: 'answered'; readonly run: string; readonly question: string }
  | { readonly kind: 'unclear'; readonly questions: readonly Asked[] };

export interface BegunConversation {
  readonly conversation: string;
  /** The run of its first message. */
  readonly run: string;
}

export interface ConversationPage {
  /** Newest first. */
  readonly conversations: readonly ConversationSummary[];
  /** `before` of the next page, where there may be one. */
  readonly next?: string;
}

/** A run of a conversation, and how it stands now. */
export interface TalkedRun {
  readonly run: string;
  readonly goal: string;
  /** The message that it was begun for. */
  readonly message: string;
  readonly outcome: Report['outcome'];
  readonly driving: DrivingState;
  /** Undefined as long as somebody may want to wait for it at the prompt. */
  readonly standing?: Standing;
  /** How far its plan is; undefined where it has no tasks. */
  readonly progress?: Tally;
  /** Those that are open. */
  readonly questions: readonly AskedQuestion[];
  /** Why it cannot be driven on, where that is no matter of the run itself. */
  readonly problem?: string;
}

export interface ConversationNow {
  readonly conversation: string;
  readonly title: string;
  readonly language?: 'en' | 'ja';
  readonly userId?: string;
  readonly startedAt: number;
  readonly lastAt: number;
  /** The last event that is in here; the stream goes on behind it. */
  readonly seq: number;
  /** For the runs that follow. */
  readonly model: string;
  /** The last ones, in order. */
  readonly messages: readonly Written[];
  /** `before` of the messages that came before these. */
  readonly earlier?: string;
  /** The agent's messages that nobody has acknowledged, oldest first, wherever they stand. */
  readonly undelivered: readonly Written[];
  /** In the order in which they were begun. */
  readonly runs: readonly TalkedRun[];
}

export interface MessagePage {
  /** In order. */
  readonly messages: readonly Written[];
  readonly earlier?: string;
}

export interface ServerUser {
  readonly id?: string;
  readonly role: 'viewer' | 'operator' | 'admin';
}
