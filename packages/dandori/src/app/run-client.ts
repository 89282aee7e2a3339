import type { Approval, Rating, Rejection } from '../commands/index.ts';
import type { Conversation } from '../conversation/index.ts';
import type {
  Counted,
  CountOptions,
  Forked,
  ForkOptions,
  HistoryLine,
  Lifted,
  PlanHistory,
  Recorded,
  Replayed,
  ReplayOptions,
  RunDiff,
  RunQuestion,
} from '../history/index.ts';
import type { Event, FactOf } from '../model/event.ts';
import type { Examined } from '../model/finding.ts';
import type { Json } from '../model/json.ts';
import type { StandingApproval } from '../model/question.ts';
import type { MissingServer, Tool } from '../model/tool.ts';
import type { ConversationSummary, RunSummary } from '../store/index.ts';
import type { Report } from '../views/report.ts';
import type { StartOptions } from './start-runs.ts';

interface AnswerOptions {
  /** The user who answers. If the settings name the allowed answerers, it must be one of them. */
  readonly by?: string;
  readonly comment?: string;
  /** The user declines or rejects. The answer itself is then ignored. */
  readonly declined?: boolean;
}
export type ApproveOptions = Pick<Approval, 'tasks' | 'by'>;
export type RejectOptions = Pick<Rejection, 'reason' | 'by'>;

interface By {
  readonly by?: string;
}

/** The configured user by default. */
interface Whose {
  readonly user?: string | undefined;
}

export interface Page {
  readonly limit?: number;
  readonly before?: string;
}

/** A conversation, in this process or on a server. */
export type ConversationClient = Omit<Conversation, 'drive'>;

/**
 * The runs and conversations of this process (`openDandori`) or of a Dandori server (`openRemote` of the
 * CLI). The CLI's commands use nothing else. A server identifies its users by access tokens and ignores `by`.
 */
export interface RunClient extends AsyncDisposable {
  /** Journals the run without driving it. */
  start(goal: string, options?: StartOptions): Promise<string>;
  /**
   * Resolves when the run has ended or needs an answer. A server drives its runs itself, so a remote client
   * follows.
   */
  drive(run: string): Promise<Report>;
  /** Answers or declines a question, from any process, whether or not the run is being driven. */
  answer(run: string, question: string, answer: Json, options?: AnswerOptions): Promise<void>;
  /**
   * Approves a call or a plan, and returns the question. `question` may be omitted if only one approval is
   * waiting. `tasks` is a plan to run instead of the proposed one. If it does not compile, the error is
   * `plan-invalid` with the diagnostics, and the question stays open.
   */
  approve(run: string, question?: string, options?: ApproveOptions): Promise<string>;
  /** Rejects a call or a plan. The model gets the reason. */
  reject(run: string, question?: string, options?: RejectOptions): Promise<string>;
  /** The approvals that the user gave for good. A server knows the user by the access token. */
  approvals(options?: Whose): Promise<StandingApproval[]>;
  /** Revokes one of them. From then on the user is asked again, in runs in progress too. */
  revokeApproval(id: string, options?: Whose): Promise<void>;
  /** The open questions of one run, or of the newest 1,000 open runs. */
  questions(run?: string): Promise<RunQuestion[]>;
  /** Adds a note that the next decision of the run reads. */
  tell(run: string, text: string, options?: By): Promise<void>;
  /** Lets running calls finish. Nothing else starts until `continue`. */
  pause(run: string, options?: By & { readonly reason?: string }): Promise<void>;
  /** Ends a pause, so that `drive` can continue. A run that is not paused stays as it is. */
  continue(run: string, options?: By): Promise<void>;
  cancel(run: string, reason: string, options?: By): Promise<void>;
  /** Raises the limits of a run, so that an exhausted run can continue. */
  addBudget(run: string, amounts: FactOf<'budget_added'>['data']): Promise<void>;
  /** Rates a run that has ended. A new rating replaces the old one. */
  rate(run: string, rating: Rating): Promise<void>;
  report(run: string): Promise<Report>;
  events(run: string, after?: number): Promise<Event[]>;
  /** Calls back when something was written to the run. Passes the seq of the last event if it is known without reading. */
  watch(run: string, changed: (last?: number) => void): () => void;
  /** Newest first. */
  runs(page?: Page): Promise<RunSummary[]>;
  /** A plan that repeats what the run has done so far. */
  lift(run: string): Promise<Lifted>;
  /** Computes the state again from the journal alone, and verifies each event that the engine decided. */
  replay(run: string, options?: ReplayOptions): Promise<Replayed>;
  /** Makes a new run with the same past. No past call is repeated. The new run is not driven yet. */
  fork(run: string, options: ForkOptions): Promise<Forked>;
  /** What two runs did differently. */
  diff(left: string, right: string): Promise<RunDiff>;
  /** The current plan, and every proposal, revision and reflection that led to it. */
  history(run: string): Promise<PlanHistory>;
  /** The same as lines of the documented format: `plan`, `revision` and `reflection`, each with its time. */
  historyLines(run: string): Promise<HistoryLine[]>;
  /** A test case made from the run, for `runCase` of `dandori/testing`. */
  record(run: string): Promise<Recorded>;
  /** Looks for damage in everything that is stored, or in one run. */
  doctor(options?: { readonly run?: string }): Promise<Examined>;
  /** Counts the runs: outcomes, model calls, cost, failures of tools, ratings. */
  statistics(options?: CountOptions): Promise<Counted>;
  /**
   * Opens the conversation with this id, or a new one. Its unfinished runs continue at once. Closing this
   * client closes the conversation too.
   */
  conversation(id?: string): Promise<ConversationClient>;
  /** Last written first. With `page`, last started first. */
  conversations(page?: Page): Promise<ConversationSummary[]>;
  tools(): ReadonlyMap<string, Tool>;
  missing(): readonly MissingServer[];
  close(): Promise<void>;
}
