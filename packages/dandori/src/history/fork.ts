import * as z from 'zod';
import {
  asJournaled,
  checkAnswer,
  newId,
  readable,
  requireAnswerer,
  tasksAsJournaled,
  withSecretsRestored,
} from '../commands/index.ts';
import type { Parts } from '../driver/index.ts';
import { DandoriError } from '../model/error.ts';
import { type Event, eventOf, type Fact } from '../model/event.ts';
import { blobsOf } from '../model/event-kinds.ts';
import type { Json } from '../model/json.ts';
import type { Task } from '../model/task.ts';
import { effect, isRepeatable } from '../model/tool.ts';
import { compileDraft } from '../run/drafts/draft.ts';
import { asHidden, changedPlan, checkEdit, invalidEdit } from '../run/drafts/edit.ts';
import { apply, foldRun } from '../run/state/apply.ts';
import { nextQuestion } from '../run/state/questions.ts';
import type { OpenQuestion, RunState } from '../run/state/state.ts';
import { withVerdict } from '../run/verdicts.ts';
import { sealingOf, withOpenedCheck } from '../secrets/index.ts';
import { sharedPast } from '../views/report.ts';
import { wordFor } from '../views/texts/said.ts';
import {
  asksMore,
  endedBy,
  eventsOf,
  failedPoint,
  noEvent,
  startPoint,
  wholeDecision,
} from './fork-point.ts';

export interface ForkOptions {
  /**
   * The last event that both runs share. Default: the event before the first question in `answers` was
   * answered.
   */
  readonly at?: number;
  /** Instead of `at`: `start` does everything again, `failed` repeats only what failed. */
  readonly from?: 'start' | 'failed' | undefined;
  /** New or changed answers: question → answer. */
  readonly answers?: Readonly<Record<string, Json>>;
  /** Replaces all tasks that had not started at that event. */
  readonly tasks?: readonly Task[];
  /** The user who forks. If a question names who may answer it, the same users are allowed here. */
  readonly by?: string | undefined;
}

export const forkedSchema = z.object({
  run: z.string(),
  forkedFrom: sharedPast,
  settled: z
    .array(z.string())
    .readonly()
    .describe('Calls that were running at that event, and whose outcome the original run knows'),
  later: z
    .array(z.object({ task: z.string(), operation: z.string(), effect }))
    .readonly()
    .describe('Writes that the original run made later. The fork does not know them and may repeat them.'),
});
export type Forked = Readonly<z.infer<typeof forkedSchema>>;

type ForkParts = Pick<
  Parts,
  'journal' | 'blobs' | 'clock' | 'secrets' | 'storeKey' | 'toolbox' | 'check' | 'durations'
>;

/**
 * Creates a new run with the same past as another one.
 *
 * K1  Nothing in the past is done again. A finished task keeps its result and its key.
 * K2  A call that was running at the fork was made. If the original run knows its outcome, the fork copies
 *     it. Otherwise the call is in doubt when the fork is driven, and is sent again only with its old key.
 * K3  A decision is copied with everything it proposed and asked. A decision in progress is made again.
 * K4  The original run is only read. Blobs are shared. The fork stores them again, so that a prune does not
 *     remove them meanwhile.
 */
export async function forkRun(source: string, given: ForkOptions, parts: ForkParts): Promise<Forked> {
  const { answers, tasks } = given;
  const options = {
    ...given,
    ...(answers && { answers: asJournaled(answers, 'An answer', 'answer-invalid') }),
    ...(tasks && { tasks: tasksAsJournaled(tasks) }),
  };
  const events = await parts.journal.read(source);
  const seq = wholeDecision(events, forkPoint(source, events, options));
  refuseEnded(source, events.slice(0, seq));
  const at = parts.clock.now();
  const run = newId(at);
  const past = events.slice(0, seq).map((event) => inRun(event, run, { run: source, seq }));
  const state = foldRun(source, past);
  const carried = endings(state, events.slice(seq));
  const writer = createWriter(run, state, parts);
  for (const event of carried) writer.add(event, event.at);
  for (const fact of answered(options, { state: writer.state, source, events, parts })) writer.add(fact, at);
  if (options.tasks !== undefined) editPlan(options.tasks, writer, { at, parts });
  await keepBlobs([...past, ...writer.events], parts.blobs);
  await parts.journal.create(run, [...past, ...writer.events]);
  return {
    run,
    forkedFrom: { run: source, seq },
    settled: [...new Set(carried.flatMap((fact) => endedBy(fact) ?? []))],
    later: laterEffects(events, seq),
  };
}

function forkPoint(run: string, events: readonly Event[], { at, from, answers = {} }: ForkOptions): number {
  if (from === 'start') return startPoint(events);
  if (from === 'failed') return failedPoint(events, foldRun(run, events));
  const first = events.find(
    ({ type, data }) =>
      (type === 'question_answered' || type === 'question_expired') && data.question in answers,
  );
  // A question that is still open is answered at the end of the journal.
  const isOpen = events.some(({ type, data }) => type === 'question_asked' && data.question.id in answers);
  const point = at ?? (first === undefined ? (isOpen ? events.length : undefined) : first.seq - 1);
  if (point !== undefined && Number.isInteger(point) && point >= 1 && point <= events.length) return point;
  if (point !== undefined) throw noEvent(run, point, events.length);
  throw new DandoriError('usage', 'The event to fork from is missing.', {
    fix: `Give it as \`at\` (--at). ${eventsOf(run, events.length)}`,
  });
}

function refuseEnded(run: string, past: readonly Event[]): void {
  const stop = past.findLast(({ type }) => type === 'run_finished' || type === 'cancel_requested');
  const isReopened = past.some(({ type, seq }) => type === 'budget_added' && seq > (stop?.seq ?? 0));
  if (stop === undefined || (stop.type === 'run_finished' && isReopened)) return;
  const what = stop.type === 'run_finished' ? 'ended' : 'was cancelled';
  throw new DandoriError('run-ended', `The run ${run} ${what} with event ${stop.seq}; nothing can follow.`, {
    fix: `Fork it before that: --at ${stop.seq - 1}, or earlier.`,
  });
}

function inRun(event: Event, run: string, forkedFrom: Forked['forkedFrom']): Event {
  if (event.type !== 'run_started') return { ...event, run };
  // No run waits for the fork of a sub-goal.
  const { parent: _, ...data } = event.data;
  return { ...event, run, data: { ...data, forkedFrom } };
}

/** The outcomes of the calls that were running: the first known outcome of each, with all its questions. */
function endings(state: RunState, later: readonly Event[]): (Fact & { at: number })[] {
  const open = new Set([...state.indexes.running, ...state.indexes.held]);
  let taken: Event | undefined;
  return later.flatMap((event) => {
    const { type, data, at } = event;
    // The inner calls of a service were made, even if the outcome of the service is unknown.
    const isInside = type === 'inner_call_started' || type === 'inner_call_ended';
    if (isInside) return open.has(data.task) ? [{ type, data, at } as Fact & { at: number }] : [];
    const task = endedBy(event);
    if (task === undefined || !(open.delete(task) || asksMore(taken, event))) return [];
    taken = event;
    return [{ type, data, at } as Fact & { at: number }];
  });
}

interface Writer {
  readonly state: RunState;
  readonly events: Event[];
  add(fact: Fact, at: number): void;
}

function createWriter(run: string, state: RunState, parts: Pick<Parts, 'secrets' | 'storeKey'>): Writer {
  const sealing = sealingOf(parts);
  const events: Event[] = [];
  return {
    state,
    events,
    add(fact, time) {
      const at = Math.max(time, state.lastAt);
      const judged = withVerdict(renumbered(sealing.conceal(fact), state), {
        state,
        at,
        word: wordFor(state),
      });
      const event = readable(eventOf(judged, { run, seq: state.seq + 1, at }));
      events.push(event);
      apply(state, event);
    },
  };
}

/** A question gets a new id, because the original run may have asked more by then. */
function renumbered(fact: Fact, state: RunState): Fact {
  if (fact.type !== 'question_asked') return fact;
  const question = { ...fact.data.question, id: nextQuestion(state) };
  return { ...fact, data: { ...fact.data, question } };
}

interface Answering {
  readonly state: RunState;
  readonly source: string;
  /** The events of the original run. */
  readonly events: readonly Event[];
  readonly parts: ForkParts;
}

function answered({ answers = {}, by }: ForkOptions, { state, source, events, parts }: Answering): Fact[] {
  return Object.entries(answers).map(([id, answer]) => {
    const asked = state.questions.get(id);
    if (asked === undefined)
      throw new DandoriError('question-not-found', `At event ${state.seq} no question "${id}" was asked.`, {
        fix: `\`dandori log ${source}\` shows where it was asked; fork at that event or later.`,
      });
    if (asked.question.subGoal !== undefined || (asked.isHeld && asked.answer !== undefined))
      throw ofMadeCall(id, asked, events);
    if (asked.answer !== undefined)
      throw new DandoriError(
        'question-answered',
        `At event ${state.seq} the question ${id} was already answered.`,
        { fix: 'Fork before the answer, or leave out --at: it is taken from the answer.' },
      );
    requireAnswerer(asked.question, by);
    const isPlan = asked.question.kind === 'plan_approval' && typeof answer === 'object';
    const meant = withSecretsRestored(sealingOf(parts).seal(answer), asked.question, state);
    if (isPlan) checkEdit(asked.question, { answer: meant, state }, withOpenedCheck(parts));
    else checkAnswer(asked.question, meant, parts);
    return { type: 'question_answered', data: { question: id, answer: meant, by: by ?? 'fork' } };
  });
}

/** The call that asked has continued with its first answer, and is not made again. Both runs share a sub-goal. */
function ofMadeCall(id: string, { question, attempt }: OpenQuestion, events: readonly Event[]): DandoriError {
  const { task = '' } = question;
  const start = events.find(
    ({ type, data }) => type === 'task_started' && data.task === task && data.attempt === attempt,
  );
  const before = (start?.seq ?? 2) - 1;
  return new DandoriError(
    'question-answered',
    question.subGoal === undefined
      ? `The call of ${task} that asked ${id} was made, and has ended with what it was told then.`
      : `The sub-goal of ${task} that asked ${id} is not forked: both runs share it.`,
    {
      fix: `Fork before the call: --at ${before}. It is made again then, with its effect, and asks again.`,
    },
  );
}

function editPlan(
  tasks: readonly Task[],
  { state, add }: Writer,
  { at, parts }: { at: number; parts: ForkParts },
): void {
  const change = changedPlan(state, asHidden(sealingOf(parts).seal(tasks), state));
  if (change === undefined) return;
  const fix = 'Correct the plan; nothing was forked.';
  if ('code' in change) throw invalidEdit([change], fix);
  add(change, at);
  if (state.draft === undefined) return;
  const compiled = compileDraft(state.draft, { state, parts: withOpenedCheck(parts) });
  if (compiled.ok) return;
  throw invalidEdit(compiled.diagnostics, fix);
}

async function keepBlobs(events: readonly Event[], blobs: Parts['blobs']): Promise<void> {
  for (const event of events) {
    for (const blob of blobsOf(event)) await blobs.put([await blobs.get(blob)]);
  }
}

function laterEffects(events: readonly Event[], seq: number): Forked['later'] {
  const { tasks } = foldRun('', events);
  const begun = events.flatMap((event) =>
    event.seq > seq && event.type === 'task_started' ? [event.data.task] : [],
  );
  return [...new Set(begun)].flatMap((id) => {
    const task = tasks.get(id);
    if (task === undefined || isRepeatable(task.effect)) return [];
    return [{ task: id, operation: task.task.operation, effect: task.effect }];
  });
}
