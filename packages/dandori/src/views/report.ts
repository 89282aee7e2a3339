import * as z from 'zod';
import { type NextAction, nextAction } from '../model/conversation.ts';
import { limit, usage } from '../model/decision.ts';
import { blobHandle, outcome, UNFINISHED } from '../model/event.ts';
import { failure } from '../model/failure.ts';
import { isObject, type Json, json, jsonObject } from '../model/json.ts';
import { callAbout, type Question, question } from '../model/question.ts';
import { isStep } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { hasOpenCall } from '../run/state/held-calls.ts';
import type { InnerCall } from '../run/state/inner-calls.ts';
import { hasEnded, type RunState, type TaskState, type TaskStatus } from '../run/state/state.ts';
import { blockedBy } from '../run/state/tasks.ts';
import { planView, planViewSchema } from './plan.ts';
import { runTexts, runWords } from './texts/of-run.ts';
import { shownFailure, shownMissing } from './texts/said.ts';

const texts = z.array(z.string()).readonly();
const at = z.number().describe('Milliseconds since 1970');

/** The last event that two runs share. */
export const sharedPast = z.object({ run: z.string(), seq: z.number().int() });

/**
 * The outcome of a run, or its present status: `waiting` for an answer, `paused` by a user, otherwise `open`.
 */
export const runOutcome = z.enum([...outcome.options, ...UNFINISHED]);

/** A question, with the details that only its run knows. */
export const askedQuestionSchema = question.extend({
  askedAt: at,
  blocks: texts.describe('The tasks that wait for it; none if the next decision waits'),
  hint: z.string().optional().describe('For the developer: what to change so that it is not asked'),
});
export type AskedQuestion = Readonly<z.infer<typeof askedQuestionSchema>>;

const innerCall = z.object({
  operation: z.string(),
  args: jsonObject,
  key: z.string(),
  status: z.enum(['running', 'succeeded', 'failed', 'in_doubt']),
});

const taskReportSchema = z.object({
  operation: z.string(),
  status: z
    .custom<TaskStatus | 'skipped'>((status) => typeof status === 'string')
    .describe('`skipped` for a task that the run ended without'),
  result: json.optional(),
  blob: blobHandle.optional().describe('Instead of a large result'),
  failure: failure.optional(),
  attempts: z.number().int(),
  calls: z
    .array(innerCall)
    .readonly()
    .optional()
    .describe('What its service called itself, in order; not for a read, whose calls change nothing'),
  run: z.string().optional().describe('The run of its sub-goal'),
  ms: z.number().nullable(),
});
export type TaskReport = Readonly<z.infer<typeof taskReportSchema>>;

const note = z.object({
  text: z.string(),
  by: z.string().optional(),
  passedOnBy: z
    .object({ run: z.string() })
    .optional()
    .describe('The run whose model passed it on; absent if the user wrote it'),
  at,
});

/** A run as `--json` prints it and as the library returns it. */
export const reportSchema = z.object({
  run: z.string(),
  goal: z.string(),
  outcome: runOutcome,
  answer: z.string().nullable(),
  output: z.unknown().optional().describe('The value that fits the `output` schema of the run'),
  failure: failure.optional(),
  missing: texts.optional(),
  limit: limit.optional().describe('The limit that ended it'),
  next: nextAction.optional().describe('What is recommended to do next'),
  plan: planViewSchema.optional(),
  tasks: z.record(z.string(), taskReportSchema),
  usage: usage.extend({ modelCalls: z.number().int(), steps: z.number().int(), ms: z.number() }),
  questions: z.array(askedQuestionSchema).readonly().describe('Those that are open'),
  paused: z.object({ reason: z.string().optional(), by: z.string().optional() }).optional(),
  notes: z.array(note).readonly().optional(),
  unstopped: z
    .array(z.object({ task: z.string(), operation: z.string() }))
    .readonly()
    .optional()
    .describe('Calls that went on after they were told to stop'),
  forkedFrom: sharedPast.optional(),
  rating: z
    .object({
      rating: z.number().int().min(1).max(5),
      comment: z.string().optional(),
      by: z.string().optional(),
    })
    .optional(),
});
export type Report = Readonly<z.infer<typeof reportSchema>>;

export function report(state: RunState): Report {
  const plan = planView(state);
  const next = state.end === undefined ? undefined : nextOf(state);
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
    ...(state.end?.output !== undefined && { output: state.end.output }),
    ...(state.end?.failure && { failure: shownFailure(state.end.failure, state) }),
    ...(state.end?.missing && { missing: shownMissing(state.end, state) }),
    ...(state.end?.limit && { limit: state.end.limit }),
    ...(next && { next }),
    ...(plan && { plan }),
    tasks: tasksReport(tasks, state),
    usage: { ...state.usage, modelCalls: state.modelCalls, steps: state.plansAccepted, ms: state.activeMs },
    questions: openQuestions(state),
    ...(state.paused && !state.end && { paused: definedOnly(state.paused) }),
    ...(notes.length > 0 && { notes }),
    ...(unstopped.length > 0 && { unstopped }),
    ...(state.forkedFrom && { forkedFrom: state.forkedFrom }),
    ...(state.rating && { rating: ratingOf(state.rating) }),
  };
}

/** What the model recommended with its answer or, after a failure, to run the goal again. */
export function nextOf(state: RunState): NextAction | undefined {
  const { operations = [] } = state.decisions.at(-1) ?? {};
  const own = readNext(operations.findLast(({ operation }) => operation === 'answer')?.args.next);
  if (own !== undefined || state.end?.outcome !== 'failed' || cannotHelp(state) || wasRefused(state))
    return own;
  return { text: runTexts(state).runAgain, goal: state.goal };
}

/** Whether running again is useless, because the built-in planner can't plan this goal. */
function cannotHelp({ mind, tasks, questions }: RunState): boolean {
  return mind === 'built-in' && tasks.size === 0 && questions.size === 0;
}

/** Whether every failure is a rejection by the user. */
function wasRefused({ tasks }: RunState): boolean {
  const failed = [...tasks.values()].filter(({ status }) => status === 'failed');
  return failed.length > 0 && failed.every(({ failure }) => failure?.kind === 'rejected');
}

/** A model may write only the text. */
export function readNext(next: Json | undefined): NextAction | undefined {
  const { text, goal } = isObject(next) ? next : { text: next, goal: undefined };
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const isGoal = typeof goal === 'string' && goal.trim() !== '';
  return { text: clip(text, LONGEST_NEXT), ...(isGoal && { goal: clip(goal, LONGEST_NEXT) }) };
}

const LONGEST_NEXT = 500;

/** A paused run is shown as paused even if questions are open: the user who paused it knows about them. */
export function outcomeOf({ end, paused, indexes }: RunState): Report['outcome'] {
  if (end !== undefined) return end.outcome;
  if (paused !== undefined) return 'paused';
  return indexes.openQuestions > 0 ? 'waiting' : 'open';
}

export function openQuestions(state: RunState): AskedQuestion[] {
  if (state.end !== undefined) return [];
  return [...state.questions.values()]
    .filter(({ answer }) => answer === undefined)
    .map(({ question, askedAt }) => ({
      ...question,
      askedAt,
      blocks: blockedBy(question, state),
      ...hintOn(question, state),
    }));
}

function hintOn({ context }: Question, state: RunState): Pick<AskedQuestion, 'hint'> {
  const { trustMissing } = callAbout.safeParse(context).data?.trust ?? {};
  return trustMissing === undefined ? {} : { hint: runWords(state).trust.trustMissing(trustMissing) };
}

function definedOnly<T extends object>(value: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}

function ratingOf({ rating, comment, by }: NonNullable<RunState['rating']>): NonNullable<Report['rating']> {
  return { rating, ...(comment !== undefined && { comment }), ...(by !== undefined && { by }) };
}

/** Not `fromEntries`, which makes a hidden class for each of a thousand fields. */
function tasksReport(tasks: readonly TaskState[], state: RunState): Record<string, TaskReport> {
  // Without a prototype first: an odd id may be `__proto__`.
  const told: Record<string, TaskReport> = Object.create(null);
  for (const task of tasks) told[task.task.id] = taskReport(task, state);
  return Object.setPrototypeOf(told, Object.prototype);
}

function taskReport(of: TaskState, state: RunState): TaskReport {
  const { task, attempts, result, failure, innerCalls, share, ms = null } = of;
  const status = statusAtEnd(of, state);
  // Filled in field by field: a run may have thousands of tasks, and spreads take much longer.
  const told: { -readonly [Key in keyof TaskReport]?: TaskReport[Key] } = {
    operation: task.operation,
    status,
  };
  if (result !== undefined && 'value' in result) told.result = result.value;
  else if (result !== undefined) told.blob = result.blob;
  if (failure !== undefined && status !== 'succeeded') told.failure = shownFailure(failure, state);
  told.attempts = attempts;
  if (innerCalls !== undefined)
    told.calls = Array.from(innerCalls.values(), (call) => innerCallReport(call, of, state));
  if (share !== undefined) told.run = share.run;
  told.ms = ms;
  return told as TaskReport;
}

function innerCallReport(
  { operation, args, key, attempt, outcome }: InnerCall,
  task: TaskState,
  state: RunState,
): Readonly<z.infer<typeof innerCall>> {
  const isRunning = attempt === task.attempts && hasOpenCall(state, task);
  const unknown = isRunning ? 'running' : 'in_doubt';
  const ended =
    outcome?.kind === 'succeeded' ? 'succeeded' : outcome?.kind === 'lost' ? 'in_doubt' : 'failed';
  return { operation, args, key, status: outcome === undefined ? unknown : ended };
}

/** A task that had not ended with the run counts as skipped, unless its call may have taken effect. */
export function statusAtEnd({ status, isInDoubt }: TaskState, { end }: RunState): TaskReport['status'] {
  if (end === undefined || hasEnded(status)) return status;
  return isInDoubt ? 'in_doubt' : 'skipped';
}

/** The known facts, for a run that ends without a written answer. Undefined if there are none. */
export function partialAnswer(state: RunState, resultText: (task: string) => string): string | undefined {
  const done = [...state.tasks.values()].filter(
    ({ task, status }) => status === 'succeeded' && !isStep(task),
  );
  if (done.length === 0) return undefined;
  const lines = done.slice(-20).map(({ task }) => `- ${task.operation}: ${clip(resultText(task.id), 500)}`);
  return [runTexts(state).soFar, ...lines].join('\n');
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Shows the two largest units. Rounds to the smaller unit first, otherwise the result could say 60 s. */
export function durationText(ms: number): string {
  if (Math.round(ms) < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE - 50) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = rounded(ms, SECOND);
  if (seconds < HOUR) return twoUnits(seconds, [MINUTE, 'min'], [SECOND, 's']);
  const minutes = rounded(ms, MINUTE);
  if (minutes < DAY) return twoUnits(minutes, [HOUR, 'h'], [MINUTE, 'min']);
  return twoUnits(rounded(ms, HOUR), [DAY, 'd'], [HOUR, 'h']);
}

type Unit = readonly [ms: number, name: string];

function twoUnits(ms: number, [large, name]: Unit, [small, rest]: Unit): string {
  const whole = `${Math.floor(ms / large)} ${name}`;
  return ms % large === 0 ? whole : `${whole} ${(ms % large) / small} ${rest}`;
}

function rounded(ms: number, unit: number): number {
  return Math.round(ms / unit) * unit;
}
