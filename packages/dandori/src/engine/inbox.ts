import { randomInt } from 'node:crypto';
import { fold } from '../core/apply.ts';
import { redact } from '../core/redact.ts';
import type { RunState } from '../core/state.ts';
import { DandoriError } from '../domain/error.ts';
import { EVENT_VERSION, type Event, type Fact, type FactOf } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import type { Settings } from '../domain/settings.ts';
import type { Task } from '../domain/task.ts';
import type { Parts } from './parts.ts';

/** Longer goals are data: they belong in a file or a tool's result, not in every prompt of the run. */
const LONGEST_GOAL = 100_000;
const LONGEST_COMMENT = 10_000;

export interface Beginning {
  readonly goal: string;
  readonly settings: Settings;
  readonly userId?: string;
  /** A plan of the user's; the mind is then asked for no other. */
  readonly tasks?: readonly Task[];
  /** Where it must be this one, and none may come of it if it is there already. */
  readonly run?: string;
}

type Keeping = Pick<Parts, 'journal' | 'clock' | 'secrets'>;

/** Requests from outside. Each is checked against the run as it is now and becomes a fact, or is refused. */
export async function startRun(
  { goal, settings, userId, tasks, run: wanted }: Beginning,
  parts: Keeping & Pick<Parts, 'mind'>,
): Promise<string> {
  checkGoal(goal);
  const at = parts.clock.now();
  const run = wanted ?? newRunId(at);
  const facts: Fact[] = [
    {
      type: 'run_started',
      data: {
        goal,
        settings,
        mind: parts.mind.name,
        userId,
        ...(tasks !== undefined && { planGiven: true }),
      },
    },
  ];
  if (tasks !== undefined)
    facts.push({ type: 'plan_proposed', data: { version: 1, by: 'user', tasks: [...tasks] } });
  const events = facts.map(
    (fact, index) => ({ v: EVENT_VERSION, run, seq: index + 1, at, ...redact(fact, parts.secrets) }) as Event,
  );
  await parts.journal.create(run, events);
  return run;
}

export async function answerQuestion(
  { run, question: id, answer, by }: { run: string; question: string; answer: Json; by?: string },
  parts: Keeping,
): Promise<void> {
  await send(run, parts, (state) => {
    refuseEnded(state);
    const open = state.questions.get(id);
    if (open === undefined) {
      const ids = [...state.questions.values()]
        .filter((one) => one.answer === undefined)
        .map((one) => one.question.id);
      const fix = ids.length > 0 ? `Open questions: ${ids.join(', ')}.` : 'The run has no open question.';
      throw new DandoriError('question-not-found', `The run ${run} has no question "${id}".`, { fix });
    }
    if (open.answer !== undefined) {
      const given = JSON.stringify(open.answer.value);
      throw new DandoriError('question-answered', `The question ${id} was answered already: ${given}.`);
    }
    checkAnswer(open.question, answer);
    return { type: 'question_answered', data: { question: id, answer, by } };
  });
}

export async function cancelRun(
  { run, reason, by }: { run: string; reason: string; by?: string },
  parts: Keeping,
): Promise<void> {
  await send(run, parts, (state) => {
    refuseEnded(state);
    if (state.cancel !== undefined) return undefined;
    return { type: 'cancel_requested', data: { reason, by } };
  });
}

/** More of what the limits allow: a run that was exhausted can be driven on. */
export async function addBudget(
  { run, by, ...amounts }: { run: string } & FactOf<'budget_added'>['data'],
  parts: Keeping,
): Promise<void> {
  await send(run, parts, (state) => {
    if (state.end?.outcome !== 'exhausted') refuseEnded(state);
    return { type: 'budget_added', data: { ...amounts, by } };
  });
}

export interface Rating {
  /** 1 (of no use) to 5 (just right). */
  readonly rating: number;
  readonly comment?: string;
  readonly by?: string;
}

export async function rateRun(
  { run, rating, comment, by }: Rating & { run: string },
  parts: Keeping,
): Promise<void> {
  checkRating({ rating, comment });
  await send(run, parts, ({ end }) => {
    if (end === undefined) {
      throw new DandoriError('run-not-ended', `The run ${run} has not ended, so there is nothing to rate.`, {
        fix: `Go on with \`dandori resume ${run}\`, or end it with \`dandori cancel ${run}\`.`,
      });
    }
    return { type: 'run_rated', data: { rating, comment, by, outcome: end.outcome } };
  });
}

function refuseEnded({ run, end }: RunState): void {
  if (end === undefined) return;
  throw new DandoriError('run-ended', `The run ${run} has ended (${end.outcome}).`, {
    fix: `See it with \`dandori show ${run}\`.`,
  });
}

/** Compare-and-append until it fits: a driver may write at the same time. */
async function send(
  run: string,
  { journal, clock, secrets }: Keeping,
  check: (state: RunState) => Fact | undefined,
): Promise<void> {
  for (;;) {
    const state = fold(await journal.read(run));
    if (state === undefined) throw new DandoriError('journal-damaged', `The run ${run} has no events.`);
    const fact = check(state);
    if (fact === undefined) return;
    const at = Math.max(clock.now(), state.lastAt);
    const event = { v: EVENT_VERSION, run, seq: state.seq + 1, at, ...redact(fact, secrets) } as Event;
    try {
      await journal.append(run, state.seq, [event]);
      return;
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'journal-conflict')) throw error;
    }
  }
}

function checkGoal(goal: string): void {
  if (goal.trim() === '') {
    throw new DandoriError('goal-invalid', 'The goal is empty.', {
      fix: 'Say what you want: dandori run "100 + 200を計算"',
    });
  }
  if (goal.length > LONGEST_GOAL) {
    throw new DandoriError(
      'goal-invalid',
      `The goal has ${goal.length} characters; ${LONGEST_GOAL} are the most.`,
      {
        fix: 'Put the text into a file and let a tool read it.',
      },
    );
  }
}

function checkRating({ rating, comment = '' }: Rating): void {
  if (!Number.isInteger(rating) || rating < 1 || rating > 5) {
    throw new DandoriError('usage', `A rating is a whole number from 1 to 5, not ${rating}.`, {
      fix: 'Give 5 for a run that was just right, 1 for one of no use.',
    });
  }
  if (comment.length > LONGEST_COMMENT) {
    throw new DandoriError(
      'usage',
      `The comment has ${comment.length} characters; ${LONGEST_COMMENT} are the most.`,
      { fix: 'Say it in fewer words.' },
    );
  }
}

function checkAnswer({ id, options }: Question, answer: Json): void {
  if (options === undefined || options.length === 0) return;
  const given = JSON.stringify(answer);
  if (options.some(({ value }) => JSON.stringify(value) === given)) return;
  const values = options.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)));
  throw new DandoriError('answer-invalid', `${given} is no answer to ${id}.`, {
    fix: `Answer one of: ${values.join(', ')}.`,
  });
}

/** Sorts by time, so that the newest runs are found without opening a file: 20261115-221530123-k3f9. */
export function newRunId(at: number): string {
  const [date = '', time = ''] = new Date(at)
    .toISOString()
    .replaceAll(/[-:.Z]/g, '')
    .split('T');
  const random = randomInt(36 ** 4)
    .toString(36)
    .padStart(4, '0');
  return `${date}-${time}-${random}`;
}
