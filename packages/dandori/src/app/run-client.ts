import type { Approval, Rejection } from '../commands/answer.ts';
import type { Rating } from '../commands/steer.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Counted, CountOptions, RunQuestion } from '../history/all-runs.ts';
import type { RunDiff } from '../history/diff.ts';
import type { Forked, ForkOptions } from '../history/fork.ts';
import type { Lifted } from '../history/lift.ts';
import type { PlanHistory } from '../history/plan-history.ts';
import type { Recorded } from '../history/record.ts';
import type { Replayed, ReplayOptions } from '../history/replay.ts';
import type { Event, FactOf } from '../model/event.ts';
import type { Examined } from '../model/finding.ts';
import type { Json } from '../model/json.ts';
import type { MissingServer, Tool } from '../model/tool.ts';
import type { ConversationSummary, RunSummary } from '../store/journal.ts';
import type { Report } from '../views/report.ts';
import type { RunOptions } from './starting.ts';

export interface AnswerOptions {
  /** The user who answers. If the settings name who may answer, it must be one of them. */
  readonly by?: string;
  readonly comment?: string;
  /** The user declines, or rejects. The answer itself is ignored then. */
  readonly declined?: boolean;
}
export type ApproveOptions = Pick<Approval, 'tasks' | 'by'>;
export type RejectOptions = Pick<Rejection, 'reason' | 'by'>;

interface By {
  readonly by?: string;
}

interface Page {
  readonly limit?: number;
  readonly before?: string;
}

/** A conversation, wherever it is kept. */
export type ConversationClient = Omit<Conversation, 'drive'>;

/**
 * The runs and conversations of one place: of this process (`openDandori`), or of a Dandori server (`openRemote` of the
 * CLI). The commands of the CLI know nothing else. A server knows its users by their access tokens and ignores `by`.
 */
export interface RunClient extends AsyncDisposable {
  /** Journals the run without driving it. */
  start(goal: string, options?: RunOptions): Promise<string>;
  /** Returns when the run has ended or needs an answer. A server drives its runs itself; this follows it. */
  drive(run: string): Promise<Report>;
  /** Answers a question or declines to, from any process, whether or not the run is being driven. */
  answer(run: string, question: string, answer: Json, options?: AnswerOptions): Promise<void>;
  /**
   * Approves a call or a plan, and returns the question. Without a question it is the only one that waits. `tasks` is a plan
   * instead of the one to approve: if it does not compile, `plan-invalid` has the diagnostics and the question stays open.
   */
  approve(run: string, question?: string, options?: ApproveOptions): Promise<string>;
  /** Rejects; the model is told the reason. */
  reject(run: string, question?: string, options?: RejectOptions): Promise<string>;
  /** The open questions of one run, or of all. */
  questions(run?: string): Promise<RunQuestion[]>;
  /** A note for the next decision of the run. */
  tell(run: string, text: string, options?: By): Promise<void>;
  /** Running calls finish; nothing else starts until the run is continued. */
  pause(run: string, options?: By & { readonly reason?: string }): Promise<void>;
  /** Ends a pause; `drive` then goes on. A run that is not paused stays as it is. */
  continue(run: string, options?: By): Promise<void>;
  cancel(run: string, reason: string, options?: By): Promise<void>;
  /** Raises the limits of a run, so that an exhausted one can be driven on. */
  addBudget(run: string, amounts: FactOf<'budget_added'>['data']): Promise<void>;
  /** Rates a run that has ended. Rating again replaces. */
  rate(run: string, rating: Rating): Promise<void>;
  report(run: string): Promise<Report>;
  events(run: string, after?: number): Promise<Event[]>;
  /** Calls back when something was written to the run. */
  watch(run: string, changed: () => void): () => void;
  /** Newest first. */
  runs(page?: Page): Promise<RunSummary[]>;
  /** A plan that repeats what the run has done so far. */
  lift(run: string): Promise<Lifted>;
  /** Computes the state again from the journal alone, and proves each event that the engine decided. */
  replay(run: string, options?: ReplayOptions): Promise<Replayed>;
  /** A new run with the same past, of which nothing is done again. It is not driven yet. */
  fork(run: string, options: ForkOptions): Promise<Forked>;
  /** What two runs did differently. */
  diff(left: string, right: string): Promise<RunDiff>;
  /** The plan as it stands, and every proposal, revision and reflection that led there. */
  history(run: string): Promise<PlanHistory>;
  /** A test of the run, for `runCase` of `dandori/testing`. */
  record(run: string): Promise<Recorded>;
  /** Looks for damage in everything that is stored, or in one run. */
  doctor(options?: { readonly run?: string }): Promise<Examined>;
  /** Counts the runs: outcomes, model calls, cost, failures of tools, ratings. */
  statistics(options?: CountOptions): Promise<Counted>;
  /**
   * A chat that owns runs: the one with this id, or a new one. Runs that it has not finished go on at once. Closing this
   * closes it too.
   */
  conversation(id?: string): Promise<ConversationClient>;
  /** Last written first; page by page, last started first. */
  conversations(page?: Page): Promise<ConversationSummary[]>;
  tools(): ReadonlyMap<string, Tool>;
  missing(): readonly MissingServer[];
  close(): Promise<void>;
}
