import type { Limit, Usage } from '../model/decision.ts';
import type { BlobHandle, Outcome } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import { isStep } from '../model/task.ts';
import { hasOpenCall } from '../run/state/held-calls.ts';
import type { InnerCall } from '../run/state/inner-calls.ts';
import { hasEnded, type RunState, type TaskState, type TaskStatus } from '../run/state/state.ts';
import { blockedBy } from '../run/state/tasks.ts';
import { type PlanView, planView } from './plan.ts';
import { textsOf } from './texts/run.ts';

/** A run as `--json` prints it and as the library returns it. */
export interface Report {
  readonly run: string;
  readonly goal: string;
  /** `waiting` where a person must answer first, `paused` where one has stopped it, `open` where nobody drives it now. */
  readonly outcome: Outcome | 'waiting' | 'paused' | 'open';
  readonly answer: string | null;
  readonly failure?: Failure;
  readonly missing?: readonly string[];
  /** The limit that ended it. */
  readonly limit?: Limit;
  /** The plan with its steps, and how the mind looked back and changed it. */
  readonly plan?: PlanView;
  readonly tasks: { readonly [id: string]: TaskReport };
  readonly usage: Usage & { readonly modelCalls: number; readonly steps: number; readonly ms: number };
  /** Those that are open. */
  readonly questions: readonly AskedQuestion[];
  /** Who wants it to stand still, and why. */
  readonly paused?: { readonly reason?: string; readonly by?: string };
  /** What people said to it while it was under way. */
  readonly notes?: readonly {
    readonly text: string;
    readonly by?: string;
    /** The run whose model passed it on; without it a person said it. */
    readonly passedOnBy?: { readonly run: string };
    readonly at: number;
  }[];
  /** Calls that were told to stop and went on. */
  readonly unstopped?: readonly { readonly task: string; readonly operation: string }[];
  /** The run whose past it shares, up to this event. */
  readonly forkedFrom?: { readonly run: string; readonly seq: number };
  /** What a person thinks of it: 1 to 5. */
  readonly rating?: { readonly rating: number; readonly comment?: string; readonly by?: string };
}

/** A question with what only the run knows of it. */
export interface AskedQuestion extends Question {
  readonly askedAt: number;
  /** Tasks that wait for it; none where the mind's next decision does. */
  readonly blocks: readonly string[];
}

export interface TaskReport {
  readonly operation: string;
  /** `skipped` for a task that the run ended without. */
  readonly status: TaskStatus | 'skipped';
  readonly result?: Json;
  /** In place of the result where it is large. */
  readonly blob?: BlobHandle;
  readonly failure?: Failure;
  readonly attempts: number;
  /** What its service called itself, in order; not of a read, whose calls change nothing. */
  readonly calls?: readonly InnerCallReport[];
  readonly ms: number | null;
}

/** A call that a service made. */
export interface InnerCallReport {
  readonly operation: string;
  readonly args: JsonObject;
  readonly key: string;
  readonly status: 'running' | 'succeeded' | 'failed' | 'in_doubt';
}

export function report(state: RunState): Report {
  const plan = planView(state);
  const tasks = [...state.tasks.values()].filter(({ task }) => !isStep(task));
  const notes = state.notes.map(({ seq: _, ...note }) => definedOnly(note));
  const unstopped = tasks
    .filter(({ isUnstopped }) => isUnstopped)
    .map(({ task: { id, operation } }) => ({ task: id, operation }));
  return {
    run: state.run,
    goal: state.goal,
    outcome: outcomeOf(state),
    answer: state.end?.answer ?? null,
    ...(state.end?.failure && { failure: state.end.failure }),
    ...(state.end?.missing && { missing: state.end.missing }),
    ...(state.end?.limit && { limit: state.end.limit }),
    ...(plan && { plan }),
    tasks: Object.fromEntries(tasks.map((task) => [task.task.id, taskReport(task, state)])),
    usage: { ...state.usage, modelCalls: state.calls, steps: state.steps, ms: state.activeMs },
    questions: openQuestions(state),
    ...(state.paused && !state.end && { paused: definedOnly(state.paused) }),
    ...(notes.length > 0 && { notes }),
    ...(unstopped.length > 0 && { unstopped }),
    ...(state.forkedFrom && { forkedFrom: state.forkedFrom }),
    ...(state.rating && { rating: ratingOf(state.rating) }),
  };
}

/** A person who paused it knows that questions are open too. */
export function outcomeOf({ end, paused, openQuestions: open }: RunState): Report['outcome'] {
  if (end !== undefined) return end.outcome;
  if (paused !== undefined) return 'paused';
  return open > 0 ? 'waiting' : 'open';
}

export function openQuestions(state: RunState): AskedQuestion[] {
  if (state.end !== undefined) return [];
  return [...state.questions.values()]
    .filter(({ answer }) => answer === undefined)
    .map(({ question, askedAt }) => ({ ...question, askedAt, blocks: blockedBy(question, state) }));
}

function definedOnly<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

function ratingOf({ rating, comment, by }: NonNullable<RunState['rating']>): NonNullable<Report['rating']> {
  return { rating, ...(comment !== undefined && { comment }), ...(by !== undefined && { by }) };
}

function taskReport(of: TaskState, state: RunState): TaskReport {
  const { task, attempts, result, failure, ms } = of;
  const status = statusAtEnd(of, state);
  return {
    operation: task.operation,
    status,
    ...(result !== undefined && ('value' in result ? { result: result.value } : { blob: result.blob })),
    ...(failure !== undefined && status !== 'succeeded' && { failure }),
    attempts,
    ...(of.innerCalls !== undefined && {
      calls: [...of.innerCalls.values()].map((call) => innerCallReport(call, of, state)),
    }),
    ms: ms ?? null,
  };
}

function innerCallReport(
  { operation, args, key, attempt, outcome }: InnerCall,
  task: TaskState,
  state: RunState,
): InnerCallReport {
  const isRunning = attempt === task.attempts && hasOpenCall(state, task);
  const unknown = isRunning ? 'running' : 'in_doubt';
  const ended =
    outcome?.kind === 'succeeded' ? 'succeeded' : outcome?.kind === 'lost' ? 'in_doubt' : 'failed';
  return { operation, args, key, status: outcome === undefined ? unknown : ended };
}

/** What the run ended without was skipped, unless it may have happened. */
export function statusAtEnd({ status, isInDoubt }: TaskState, { end }: RunState): TaskReport['status'] {
  if (end === undefined || hasEnded(status)) return status;
  return isInDoubt ? 'in_doubt' : 'skipped';
}

/** What a run that ends without a written answer can still say: the facts that it has. Undefined where it has none. */
export function partialAnswer(state: RunState, resultText: (task: string) => string): string | undefined {
  const done = [...state.tasks.values()].filter(
    ({ task, status }) => status === 'succeeded' && !isStep(task),
  );
  if (done.length === 0) return undefined;
  const lines = done.slice(-20).map(({ task }) => `- ${task.operation}: ${clip(resultText(task.id))}`);
  return [textsOf(state).soFar, ...lines].join('\n');
}

function clip(text: string): string {
  return text.length <= 500 ? text : `${text.slice(0, 500)}…`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The two largest units. The whole is rounded to the smaller one first, or there would be minutes of 60 s. */
export function duration(ms: number): string {
  if (Math.round(ms) < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE - 50) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = rounded(ms, SECOND);
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ${(seconds % MINUTE) / SECOND} s`;
  const minutes = rounded(ms, MINUTE);
  if (minutes < DAY) return `${Math.floor(minutes / HOUR)} h ${(minutes % HOUR) / MINUTE} min`;
  const hours = rounded(ms, HOUR);
  return `${Math.floor(hours / DAY)} d ${(hours % DAY) / HOUR} h`;
}

function rounded(ms: number, unit: number): number {
  return Math.round(ms / unit) * unit;
}
