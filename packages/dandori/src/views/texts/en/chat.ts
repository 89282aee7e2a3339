import { cli } from './cli.ts';
import { history } from './history.ts';
import { countOf, labels } from './labels.ts';
import { words } from './words.ts';

/** Texts of `dandori chat`, in the language of the conversation. */
export const chat = {
  prompt: '›',
  welcome: 'What would you like to do? (/help, Ctrl-D to quit)',
  continued: (when: string) => `Continuing from ${when}. New conversation:  dandori chat --new`,
  inBackground: (run: string) => `${run} is running in the background. Progress: /runs`,
  unclear: {
    several: 'Several questions are open. Choose one:',
    came_up: 'New question while you were typing. To answer, send again:',
    talked_over: 'Something else was asked or suggested since. Choose one:',
    only_one: 'You can choose only one. Still open:',
    which: 'Which option do you mean? Still open:',
    clear_yes: 'Answer with yes or no. Still open:',
  },
  answerWith: (name: string, fields = '') => `/answer ${name} ${fields === '' ? '…' : fields}`,
  yesOrNo: 'yes / no',
  numberOrWords: 'a number, or your own words',
  orSay: 'or describe the change you want',
  noQuestion: cli.noQuestions,
  next: labels.next,
  nextHint: '/next',
  noNext: 'Nothing is recommended.',
  noApproval: 'Nothing is waiting for approval.',
  noRuns: 'No runs in this conversation yet.',
  noPlan: history.history.none,
  whichRun: (names: string) => `Which run? ${names}`,
  unknownCommand: (name: string) => `Unknown command ${name}. List of commands: /help`,
  usage: (form: string) => `Usage: ${form}`,
  noteForm: '/note [run] text',
  attachForm: '/attach file',
  attached: (names: string) => `With your next message: ${names}`,
  told: (run: string) => `Note added to ${run}`,
  cancelled: (run: string) => `Cancelling ${run}`,
  model: (name: string) => `${labels.model}: ${name}`,
  modelNow: (name: string) => `Model from the next message on: ${name}`,
  leaveHint: 'Ctrl-C again or /quit to quit',
  leaving: (count: number) =>
    `${countOf(count, 'run')} still running. Waiting for calls to finish; the rest resumes with your next chat. Ctrl-C to quit now`,
  waitOver: (count: number) =>
    `Time is up with ${countOf(count, 'run')} still running. Resume:  dandori chat`,
  goesOn: (count: number) => `${countOf(count, 'run')} still running on the server.`,
  tasksDone: labels.tasksOf,
  tasksFailed: labels.failedCount,
  step: (id: string) => `step ${id}`,
  question: (id: string) => `question ${id}`,
  underWay: words.statuses.open,
  waitsForYou: labels.waitingForYou,
  noConversations: 'No conversations yet. Start one:  dandori chat',
  help: [
    ['/help', 'List the commands'],
    ['/plan [name]', 'Show the active plan or the named one'],
    ['/plans [name]', 'List the plans, or make one active'],
    ['/runs', 'List the runs of this conversation'],
    ['/approve [question]', 'Approve a call or a plan'],
    ['/reject [question] [reason]', 'Reject it, or decline to answer'],
    ['/answer question answer', 'Answer one of several questions'],
    ['/note [run] text', 'Add a note for the next decision'],
    ['/attach file', 'Attach a file to your next message'],
    ['/next', 'Do what was recommended last'],
    ['/cancel [run] [reason]', 'Cancel a run'],
    ['/model [name]', 'Show the model, or switch to another one'],
    ['/quit', 'Quit; runs resume with your next chat'],
  ] as readonly (readonly [string, string])[],
  lines: 'End a line with \\ to continue it. Start and end a longer text with """.',
};

export type ChatTexts = typeof chat;
