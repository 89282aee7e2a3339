import type { TaskStatus } from '../../../run/state/state.ts';
import { countOf, labels } from './labels.ts';
import { problems } from './problems.ts';
import { words } from './words.ts';

const reached = (what: string, key: string) => `Limit reached: ${what} (${key})`;
const tasks = (done: number, total: number) => `(${labels.tasksOf(done, total)})`;

/** How a run, a step or a task ended, and why. */
export const run = {
  notReached: "Couldn't reach the goal.",
  isDone: (what: string) => `${what}: done`,
  planInvalid: problems.errors['plan-invalid'][0],
  noPlan: (tries: number) => `No valid plan after ${countOf(tries, 'attempt')}.`,
  notApproved: (operation: string) => `${operation} was rejected.`,
  withReason: (what: string, why = '') => (why === '' ? what : `${what} ${why}`),
  planNotApproved: 'The plan was rejected.',
  declined: (operation: string) => `The question about ${operation} was declined.`,
  expired: (question: string) => `Expired without an answer: ${question}`,
  notReplaced: (operation: string, problems: string) =>
    `The choice made instead of ${operation} has problems: ${problems}`,
  replaced: (operation: string, choice: string) => `The user chose this instead of ${operation}: ${choice}`,
  overtaken: (operation: string, task: string, by: string) =>
    `With this answer ${operation} would use a resource that the later task ${task} (${by}) already used. It was not called, to keep the order.`,
  stepGivenUp: 'The model gave up this step.',
  givenUp: (operation: string) => `${operation} was given up. Its outcome is unconfirmed.`,
  inDoubt: 'outcome unconfirmed',
  notDone: 'not run',
  standing: (task: string, status: string) => `${task}: ${status}`,
  ended: (status: TaskStatus): string => words.statuses[status].toLowerCase(),
  stepsReached: (count: number) => reached(labels.stepCount(count), 'execution.max_steps'),
  callsReached: (count: number) => reached(labels.modelCallCount(count), 'execution.max_model_calls'),
  costReached: (dollars: number | undefined) => reached(`$${dollars}`, 'execution.max_cost'),
  timeReached: (seconds: number) => reached(`${seconds} s`, 'execution.max_time'),
  tasksReached: (count: number) => reached(labels.taskCount(count), 'planning.max_subtasks'),
  tokensReached: (count = 0) => reached(countOf(count, 'token'), 'execution.max_tokens'),
  revisionsReached: (count = 0) => reached(countOf(count, 'revision'), 'planning.revision.max_revisions'),
  inCircles: 'Limit reached: loop. The model was told once and did the same again',
  insisted: 'Limit reached: loop. The model proposed calls again that already succeeded',
  unjudged: "The answer doesn't say whether the success criteria are met.",
  unmet: (criteria: string) => `Not met: ${criteria}`,
  taskFailed: 'A task failed.',
  soFar: 'No final answer was written. The results so far, as the tools returned them:',
  stepDone: (name: string, done: number, total: number) => `${name}: done ${tasks(done, total)}.`,
  stepFailed: (name: string, done: number, total: number) => `${name}: failed ${tasks(done, total)}.`,
  because: (causes: string) => (/[.!?。]$/.test(causes) ? causes : `${causes}.`),
  next: (steps: string) => `Next: ${steps}.`,
  chose: (label: string) => `Chose: ${label}`,
  refused: 'Declined to answer.',
  stillOpen: (questions: string) => `Still waiting for your answer: ${questions}`,
  openQuestion: (question: string, goal: string) => `\n- ${question} (${goal})`,
  runAgain: labels.runAgain,
};

export type RunTexts = typeof run;
