import type { Effect } from '../../../model/tool.ts';
import { countOf, labels } from './labels.ts';
import { words } from './words.ts';

const { answers, effects, statuses } = words;
const label = (effect: Effect) => effects[effect].toLowerCase();
const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
const KEPT = 'Finished calls are not repeated.';

/** What the driver asks. `views/texts/question-text.ts` translates these when a question is shown. */
export const questions = {
  /** `summary`: what the call would do, in the words of the tool. */
  mayCall: (operation: string, effect: Effect, summary?: string) =>
    summary === undefined
      ? `Approve ${operation}? (${label(effect)})`
      : `${sentence(summary)} Approve? (${operation}, ${label(effect)})`,
  titled: (title: string, operation: string) => `“${title}” (${operation})`,
  mayAnswer: (answer: string | undefined) =>
    answer === undefined ? 'Decline to answer?' : `Answer with “${answer}”?`,
  mayGoOn: (number: number, name: string) => `Go on with step ${number}? ${name}`,
  approve: answers.approve,
  approveForRun: 'Approve for this run',
  allowOnce: 'Allow once',
  allowListed: (count: number) => `Allow these ${count} calls`,
  allowPattern: (values: string) => `Allow in this run with ${values}`,
  allowTool: 'Allow in this run',
  refuse: 'Refuse and go on without it',
  refuseSimilar: (count: number) => `Refuse all ${count} calls of this tool`,
  stopRun: 'Stop the run',
  approveCallAlways: 'Always approve with these arguments',
  approveToolAlways: 'Always approve this tool',
  reject: answers.reject,
  mayCarryOut: (count: number, isOutline: boolean) =>
    isOutline
      ? `Approve this plan? (${labels.stepCount(count)}) Tasks are planned when each step starts.`
      : `Approve this plan? (${labels.taskCount(count)})`,
  mayChange: (reason: string) => `Approve this revision? ${reason}`,
  mayRepeat: (operations: string) =>
    `Approve this plan? It repeats calls that already succeeded: ${operations}`,
  mayCallAgain: (operation: string, effect: Effect, task: string) =>
    `Approve ${operation} again? (${label(effect)}) ${task} already made the same call and succeeded.`,
  isDone: (operation: string, cause: string) =>
    `Did ${operation} take effect? ${cause === '' ? '' : `${cause} `}Check, then choose.`,
  isDoneUpTo: (operation: string, done: number) =>
    `How should ${operation} continue? It was interrupted after ${countOf(done, 'finished call')}. Check, then choose.`,
  isOpenInside: (operation: string, done: number, call: string) =>
    `Did ${call} take effect? ${operation} was interrupted in this call, after ${countOf(done, 'finished call')}. Check, then choose.`,
  goOnFrom: (_done: number) => `Run it again. ${KEPT}`,
  goOnAfter: (call: string) => `Yes, continue after ${call} without its result`,
  callItAgain: (call: string, done: number) => `No, call ${call} again${done === 0 ? '' : `. ${KEPT}`}`,
  allDone: 'The whole task is done; continue without its result',
  causes: {
    driver_lost: "Dandori's process ended during the call.",
    timeout: 'The call timed out.',
    connection_lost: 'The connection was lost.',
    cancelled: 'The call was cancelled.',
    unanswered: 'The call ended while its question was open.',
  },
  /** Why the built-in planner chose a call. */
  reasons: {
    asked: (goal: string) => `You asked: “${goal}”`,
    fits: (operation: string) => `The goal's words fit ${operation}.`,
    neededBy: (operation: string) => `${operation} needs this first.`,
    missing: (name: string) => `"${name}" is missing.`,
  },
  happened: 'Yes, continue without its result',
  again: 'No, call it again',
  giveUp: 'Give up this task',
  done: statuses.completed,
};

/** The questions, and what the driver says about calls and decisions. */
export const driver = {
  ...questions,
  notAllowed: (operation: string, rule: string) =>
    `${operation} was not called: the rule ${rule} of trust.rules forbids it.`,
  previewUnusable: 'The tool gave no usable preview.',
  repeats: (task: string, done: string) => `${task} repeats ${done}, which already succeeded.`,
  notAgain: (operation: string, task: string) =>
    `Not called again: ${task} already called ${operation} with the same arguments and succeeded. Use the result of ${task}.`,
  failedAfter: (message: string, done: number, calls: string) =>
    `${message} (${countOf(done, 'call')} finished before: ${calls})`,
  notCalledAnyMore: (call: string) => `${call} was not called: its task has already ended.`,
  crashedAgain: (operation: string, times: number) =>
    `Dandori's process ended ${countOf(times, 'time')} while ${operation} was running. The task is not started again.`,
  hasAsked: 'The tool asked a question while it ran, and may not have received the answer.',
  unanswered: 'The tool asked a question and ended before the answer came.',
  asksOtherwise: 'The tool asked another question before the first was answered.',
  formUnusable: (problem: string) => `The form of the tool's question can't be used: ${problem}.`,
  asksForEver: (rounds: number) =>
    `The tool kept asking after ${countOf(rounds, 'answer')}. The call was given up.`,
  asksForNothing: "The tool asked for input but didn't say which.",
  probeMissing: (tool: string) => `Outcome check not possible: no tool ${tool}.`,
  probeWrites: (tool: string) => `Outcome check not possible: ${tool} is not a read.`,
  probeLacks: (tool: string, names: string) =>
    `Outcome check with ${tool} not possible: the call has no argument ${names}.`,
  probeUnclear: (found: string) => `Outcome check unclear: settled_when gives ${found}.`,
  callBroke: (reason: string) => `The call broke: ${reason}`,
  callStopped: (call: string) =>
    `${call} was stopped while it was running, and may or may not have taken effect.`,
  mindBroke: (reason: string) => `The model call broke: ${reason}`,
  mindBrokeContract: (problem: string) => `The model returned something invalid: ${problem}`,
  mindStopped: 'The decision was stopped.',
  notCalled: (call: string) => `${call} was not called: the run was stopped first.`,
  underWay: (call: string) => `${call} is already running under the same key.`,
  noAnswer: 'The model was asked for the final answer and gave none',
  noAction: 'The model returned no action',
  noNext: "The model didn't say what to do next",
  tooSlow: (seconds: number) => `Timed out after ${seconds} s.`,
  didNotStop: "The call didn't stop when cancelled.",
  notFitting: (operation: string, what: string) =>
    `Invalid arguments for ${operation}: ${what}. The tool was not called.`,
  secretGone:
    'The arguments contain a secret that is no longer configured or has changed. The tool was not called.',
  unexpected: (expression: string, found: string, result: string) =>
    `Unexpected result: ${expression} is ${found}. The result was ${result}`,
  misfit: (place: string, problem: string) => `Unexpected result: ${place || 'the result'} ${problem}.`,
  notWritten: (reason: string) => `The result can't be saved: ${reason}.`,
  tooDeep: (levels: number) => `it is nested more than ${levels} levels deep`,
};

export type QuestionTexts = typeof questions;
export type DriverTexts = typeof driver;
