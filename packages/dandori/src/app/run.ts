import type { Rating } from '../commands/index.ts';
import type {
  Forked,
  ForkOptions,
  Lifted,
  PlanHistory,
  Recorded,
  Replayed,
  ReplayOptions,
} from '../history/index.ts';
import { DandoriError, type ErrorCode } from '../model/error.ts';
import type { Event, FactOf, Live } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import type { MissingServer } from '../model/tool.ts';
import type { AskedQuestion, Report } from '../views/report.ts';
import type { ResultPart, ResultRange } from '../views/result-page.ts';
import type { ApproveOptions, RejectOptions } from './run-client.ts';

export interface FollowOptions {
  /** Also yields messages that are never journaled: text while it is written, and the progress of calls. */
  readonly live?: boolean;
  /** Skips the events up to this number. */
  readonly after?: number;
  /** False to read what is written so far, without driving the run. */
  readonly follow?: boolean;
  /** If the run waits for an answer that nothing here gives, waits for one from elsewhere. */
  readonly wait?: boolean;
}

/** Answers a question in place. Undefined leaves it open. */
export type OnQuestion = (
  question: AskedQuestion,
  run: Run<unknown, unknown>,
) => Json | undefined | Promise<Json | undefined>;

/**
 * One run. `dandori.run` drives it at once. `dandori.open` drives it when its output or its events are asked
 * for; if another process drives it, this handle follows.
 *
 * Iterating yields every event from the first on, until the run has ended. It also stops if the run waits for
 * an answer and neither `onQuestion` nor the body of the loop gives one.
 */
export interface Run<Output = string, Yielded = Event> extends AsyncIterable<Yielded>, AsyncDisposable {
  /** With `key`: that of the first run with the same key, once it is known. */
  readonly id: string;
  /** What the iteration yields, with other options. */
  events(options: FollowOptions & { readonly live: true }): AsyncIterableIterator<Event | Live>;
  events(options?: FollowOptions): AsyncIterableIterator<Event>;
  /**
   * The answer: a text, or a value that fits the `output` of the run. Throws a `RunError` if the run ends
   * without one (`run-failed`), or needs an answer that this program does not give (`run-waiting`).
   */
  output(options?: { readonly wait?: boolean }): Promise<Output>;
  /** What the run did. Waits while this process drives it, until it has ended or needs an answer. */
  report(): Promise<Report>;
  /** The open questions. */
  questions(): Promise<readonly AskedQuestion[]>;
  answer(question: string, answer: Json): Promise<void>;
  decline(question: string, options?: { readonly comment?: string }): Promise<void>;
  /** Approves a call or a plan. The question may be omitted if only one approval is open. */
  approve(question?: string, options?: Pick<ApproveOptions, 'tasks'>): Promise<void>;
  /** Rejects a call or a plan. The model gets the reason. */
  reject(question?: string, options?: Pick<RejectOptions, 'reason'>): Promise<void>;
  /** Adds a note that the next decision of the run reads. */
  tell(text: string): Promise<void>;
  /** Lets running calls finish. Nothing else starts until `resume`. */
  pause(options?: { readonly reason?: string }): Promise<void>;
  /** Ends a pause or raises limits, and drives the run. */
  resume(options?: { readonly raise?: FactOf<'budget_added'>['data'] }): Promise<void>;
  /** Stops all calls and ends the run. */
  cancel(reason?: string): Promise<void>;
  /** A new run with the same past. No past call is repeated. */
  fork(options: ForkOptions): Promise<Run<Output, Yielded> & { readonly forked: Forked }>;
  /** Computes the run again from its journal alone, and verifies each event that the engine decided. */
  replay(options?: ReplayOptions): Promise<Replayed>;
  /** The current plan, and every proposal, revision and reflection that led to it. */
  history(): Promise<PlanHistory>;
  /** A plan that repeats what the run has done so far. */
  toPlan(): Promise<Lifted>;
  /** A test case made from the run, for `runCase` of `dandori/testing`. */
  toTest(): Promise<Recorded>;
  /** A part of a task's result, even of a large one. */
  result(task: string, wanted: ResultRange): Promise<ResultPart>;
  rate(rating: Omit<Rating, 'by'>): Promise<void>;
  /** Lets running calls finish and stops driving the run here. It can be opened and continued later. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A run that has no output to give: it ended without an answer, or waits for one. */
export class RunError extends DandoriError {
  readonly report: Report;

  constructor(code: ErrorCode, message: string, { fix, report }: { fix: string; report: Report }) {
    super(code, message, { fix });
    this.report = report;
  }
}

/** Why a run has no output, and what to do about it. */
export function withoutOutput(report: Report, missing: readonly MissingServer[]): RunError {
  const { run, outcome, failure, questions, limit } = report;
  if (outcome === 'waiting') {
    const asked = questions.map(({ id, text }) => `${id}: ${text}`).join('; ');
    const hints = new Set(questions.flatMap(({ hint }) => hint ?? []));
    const fix =
      'Pass `onQuestion`, call `run.answer`, or wait for an answer from elsewhere: `run.output({ wait: true })`.';
    return new RunError('run-waiting', `The run ${run} waits for an answer: ${asked}`, {
      fix: [fix, ...hints].join(' '),
      report,
    });
  }
  if (outcome === 'paused' || outcome === 'open')
    return new RunError('run-waiting', `The run ${run} has stopped and not ended.`, {
      fix: 'Continue it with `run.resume()`. Await the output before you close Dandori.',
      report,
    });
  const why = failure?.message ?? (limit === undefined ? outcome : `limit reached: ${limit}`);
  // The reason is not part of the failure, because the failure is told to the model.
  const reasons = missing.map(({ server, reason }) => `${server} is not available: ${reason}.`);
  const seeReport = `Its report says what was done: \`run.report()\`, or \`dandori show ${run}\`.`;
  return new RunError('run-failed', `The run ${run} ended without an answer (${outcome}): ${why}`, {
    fix: [...reasons, seeReport].join(' '),
    report,
  });
}
