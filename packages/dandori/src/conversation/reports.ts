import type { Message, NextAction, Tally } from '../model/conversation.ts';
import type { Event } from '../model/event.ts';
import { OWN_TOOLS, RUN_TOOLS } from '../model/own-tools.ts';
import { isAboutStep, type Question } from '../model/question.ts';
import { type Action, isStep, workOf } from '../model/task.ts';
import { clip, type Language, languageOf } from '../model/text.ts';
import { progressOf } from '../run/brief.ts';
import { apply } from '../run/state/apply.ts';
import { hasEnded, type OpenQuestion, type RunState, type TaskState } from '../run/state/state.ts';
import { nextOf, readNext } from '../views/report.ts';
import { runTexts, runTextsIn } from '../views/texts/of-run.ts';
import { questionIn } from '../views/texts/question-text.ts';
import { questionId, reminderId, replyId, reportId } from './state.ts';
import { hasReadStrangers } from './strangers.ts';

const MOST_CAUSES = 5;
const MOST_LINES = 30;
const LONGEST_CAUSE = 300;
const LONGEST_GOAL = 60;

/**
 * The messages that follow from the events of a run. The same events give the same messages with the same
 * ids.
 */
export interface Reporter {
  readonly state: RunState | undefined;
  take(event: Event): Message[];
}

/**
 * A report is written with the decision that was asked for it. If a step ends with the run, the final reply
 * covers it, unless the model reports on the step itself.
 */
export function createReporter(): Reporter {
  let state: RunState | undefined;
  let held: string[] = [];
  let ends = 0;
  return {
    get state() {
      return state;
    },
    take(event) {
      const asked = state?.thinking?.brief?.report ?? [];
      state = apply(state, event);
      const messages: Message[] = [];
      if (event.type === 'run_finished') held = [];
      else if (event.type !== 'reflection_made') {
        for (const step of held) messages.push(stepReport(step, state));
        held = [];
      }
      if (event.type === 'decision_made') {
        for (const step of asked) {
          const own = reportOn(step, { asked, operations: event.data.operations ?? [] });
          if (own === undefined) held.push(step);
          else messages.push(stepReport(step, state, own));
        }
      }
      if (event.type === 'question_asked') {
        const { question } = event.data;
        const { id } = question;
        // The user decides whether to go on, and must know how it went so far.
        if (isAboutStep(question))
          for (const step of state.unreported) messages.push(stepReport(step, state));
        const text = [question.text, ...plannedLines(question, state)].join('\n');
        messages.push({
          ...about(state),
          id: questionId(state.run, id),
          kind: 'question',
          text,
          question: id,
        });
      }
      if (event.type === 'run_finished') messages.push(reply(state, ++ends));
      return messages;
    },
  };
}

function about({ run, settings, orders }: RunState): Pick<Message, 'role' | 'run' | 'hasHeardStrangers'> {
  const hasHeardStrangers = orders.strangersSince !== undefined;
  return { role: 'agent', run, ...(settings.trust !== undefined && { hasHeardStrangers }) };
}

/** What the user approves: the steps, or the calls if there are no steps. */
function plannedLines({ kind }: Question, { draft }: RunState): string[] {
  if (kind !== 'plan_approval' || draft === undefined) return [];
  const steps = draft.tasks.filter(isStep);
  const shown = (steps.length > 0 ? steps : draft.tasks).slice(0, MOST_LINES);
  return shown.map((task) => `${task.id}. ${task.description ?? workOf(task)}`);
}

interface OwnReport {
  readonly text: string;
  readonly next?: NextAction | undefined;
}

function reportOn(
  step: string,
  { asked, operations }: { asked: readonly string[]; operations: readonly Action[] },
): OwnReport | undefined {
  const reports = operations.filter(({ operation }) => operation === 'report');
  const own =
    reports.find(({ args }) => args.step === step) ??
    (asked.length === 1 && reports.length === 1 ? reports[0] : undefined);
  const text = own?.args.text;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return { text, next: readNext(own?.args.next) };
}

function stepReport(id: string, state: RunState, own?: OwnReport): Message {
  const step = state.tasks.get(id);
  const tasks = (step?.children ?? []).flatMap((child) => state.tasks.get(child) ?? []);
  const tally = tallyOf(tasks, state);
  const causes = causesOf(tasks.length > 0 || step === undefined ? tasks : [step]);
  const isDone = step?.status === 'succeeded';
  const next = own === undefined ? nextStep(state) : own.next;
  return {
    ...about(state),
    id: reportId(state.run, id),
    kind: 'report',
    step: id,
    text: own?.text ?? plainReport({ step, tally, causes }, state),
    outcome: isDone ? 'completed' : 'failed',
    tally,
    ...(causes.length > 0 && { causes }),
    ...(next && { next }),
    byMind: own !== undefined,
  };
}

/** The steps that follow, in words. */
function nextStep({ tasks }: RunState): NextAction | undefined {
  const following = [...tasks.values()].filter(
    ({ task, status, isSuperseded }) =>
      isStep(task) && !isSuperseded && ['ready', 'expanding', 'waiting'].includes(status),
  );
  const names = following.map(({ task: { id, description } }) => description ?? id);
  return names.length === 0 ? undefined : { text: clip(names.join(', '), LONGEST_CAUSE) };
}

interface StepFacts {
  readonly step: TaskState | undefined;
  readonly tally: Tally;
  readonly causes: readonly string[];
}

function plainReport({ step, tally, causes }: StepFacts, state: RunState): string {
  const { stepDone, stepFailed, because, next } = runTexts(state);
  const name = step?.task.description ?? step?.task.id ?? '';
  const { current = [] } = progressOf(state) ?? {};
  const head = step?.status === 'succeeded' ? stepDone : stepFailed;
  return [
    head(name, tally.done, tally.total),
    ...(causes.length > 0 ? [because(causes.join('; '))] : []),
    ...(current.length > 0 ? [next(current.join(', '))] : []),
  ].join(' ');
}

function reply(state: RunState, end: number): Message {
  const { outcome = 'failed', answer, failure } = state.end ?? {};
  const tasks = tasksOf(state);
  // The user's own no needs no explanation.
  const others = tasks.filter((task) => task.failure?.kind !== 'rejected');
  const causes = causesOf(others, failure?.kind === 'rejected' ? undefined : failure?.message);
  const id = replyId(state.run);
  const next = nextOf(state);
  return {
    ...about(state),
    // An exhausted run whose limits are raised ends a second time.
    id: end === 1 ? id : `${id}#${end}`,
    kind: 'reply',
    text: answer ?? failure?.message ?? runTexts(state).notReached,
    outcome,
    ...(tasks.length > 0 && { tally: tallyOf(tasks, state) }),
    ...(causes.length > 0 && { causes }),
    ...(next && { next }),
  };
}

/**
 * After a reply that called no tool: the questions of other runs that were open before the message. A model may
 * write that it passed an answer on although the question is still open.
 */
export function remindersOf(
  messages: readonly Message[],
  { states, language }: { readonly states: readonly RunState[]; readonly language: Language | undefined },
): Message[] {
  return messages.flatMap(({ id, kind, run }) => {
    const own = states.find((state) => state.run === run);
    if (kind !== 'reply' || own === undefined || id !== replyId(own.run) || hasCalled(own)) return [];
    const others = states.filter((state) => state.run !== run && state.end === undefined);
    const reader = language ?? languageOf(own);
    const open = others.flatMap((state) =>
      [...state.questions.values()]
        .filter((asked) => !isReconsidered(asked, state, own))
        .filter(({ answer, askedAt }) => answer === undefined && askedAt < own.startedAt)
        .map(({ question }) => ({
          goal: clip(state.goal, LONGEST_GOAL),
          text: clip(questionIn(question, reader).text, LONGEST_CAUSE),
        })),
    );
    const [first] = open;
    if (first === undefined) return [];
    const hasHeardStrangers = [own, ...others].some(hasReadStrangers);
    const { stillOpen, openQuestion } = runTextsIn(reader);
    const list = open.slice(0, MOST_CAUSES).map(({ goal, text }) => openQuestion(text, goal));
    const text = stillOpen(open.length === 1 ? first.text : list.join(''));
    return [{ ...about(own), hasHeardStrangers, id: reminderId(own.run), kind: 'reminder' as const, text }];
  });
}

/** A note for a run whose plan waits for approval leads to another plan. */
function isReconsidered({ question }: OpenQuestion, { run }: RunState, { tasks }: RunState): boolean {
  const isTold = ({ task, status }: TaskState) =>
    status === 'succeeded' && task.operation === 'run.tell' && task.args.run === run;
  return question.kind === 'plan_approval' && tasks.values().some(isTold);
}

const OUR_OWN = new Set([...Object.keys(OWN_TOOLS), ...Object.keys(RUN_TOOLS)]);

function hasCalled({ tasks }: RunState): boolean {
  return tasks.values().some(({ task, status }) => status === 'succeeded' && !OUR_OWN.has(task.operation));
}

/** Progress of the whole run. Undefined if it has neither steps nor tasks. */
export function tallyOfRun(state: RunState): Tally | undefined {
  const tasks = tasksOf(state);
  return tasks.length === 0 && state.indexes.stepCount === 0 ? undefined : tallyOf(tasks, state);
}

function tasksOf({ tasks }: RunState): TaskState[] {
  return [...tasks.values()].filter(({ task, isSuperseded }) => !isStep(task) && !isSuperseded);
}

function tallyOf(tasks: readonly TaskState[], state: RunState): Tally {
  const progress = progressOf(state);
  const counted = tasks.filter(({ isSuperseded }) => !isSuperseded);
  return {
    done: counted.filter(({ status }) => status === 'succeeded').length,
    failed: counted.filter(({ status }) => hasEnded(status) && status !== 'succeeded').length,
    total: counted.length,
    ...(progress && { steps: { done: progress.done, total: progress.total } }),
  };
}

function causesOf(tasks: readonly TaskState[], first?: string): string[] {
  const failed = tasks.filter(({ status, isSuperseded }) => status === 'failed' && !isSuperseded);
  const told = failed.map(({ task, failure }) => `${task.id} (${workOf(task)}): ${failure?.message ?? ''}`);
  const isKnown = failed.some(({ failure }) => failure !== undefined && first?.includes(failure.message));
  const all = first === undefined || isKnown ? told : [first, ...told];
  return [...new Set(all)].slice(0, MOST_CAUSES).map((cause) => clip(cause, LONGEST_CAUSE));
}
