import type { Effect } from '../../../model/tool.ts';
import type { Report } from '../../report.ts';
import { countOf, labels } from './labels.ts';
import { words } from './words.ts';

/** What a run used. */
export interface Used {
  readonly time: string;
  readonly calls: number;
  readonly tokens: number;
  readonly isEstimated: boolean;
  readonly cost: string | undefined;
}

const { statuses, outline, answers } = words;

/** Texts of the CLI about runs, questions and plans. */
export const cli = {
  labelled: (label: string, text = '') => (text === '' ? `${label}:` : `${label}: ${text}`),
  comma: ', ',
  more: (count: number) => `… and ${count} more`,
  characters: (count: number) => `(${countOf(count, 'character')})`,
  fix: 'Fix',
  reason: 'Reason',
  bug: 'This is a bug in Dandori',
  rating: 'Rating',

  planning: labels.thinking,
  answering: labels.writingAnswer,
  generating: (steps: string) => `Planning ${steps}…`,
  planned: (count: number) => `Planned ${labels.taskCount(count)}`,
  outlined: (count: number) => `${labels.plan}: ${labels.stepCount(count)}`,
  stepsDone: labels.stepsDone,
  rejected: 'The plan has problems:',
  repeated: 'The plan repeats finished calls; telling the model',
  vetoed: (reason: string) => `Plan rejected${reason === '' ? '' : `: ${reason}`}`,
  revised: (reason: string) => `Plan revised: ${reason}`,
  reflected: (status: keyof typeof words.reflections) =>
    `${labels.reflection}: ${words.reflections[status].toLowerCase()}`,
  circles: 'Loop detected; telling the model',
  nextModel: labels.switchingTo,
  askingAgain: (delay: string) => `Retrying in ${delay}`,
  retrying: (attempt: number, delay: string) => `Attempt ${attempt} failed. Retrying in ${delay}`,
  inDoubt: 'Outcome unconfirmed',
  happened: 'Checked: it took effect',
  notHappened: 'Checked: no effect. Calling again',
  blocked: 'Not run: a task it depends on failed',
  resumed: labels.resumed,
  budgetAdded: labels.limitsRaised,
  pausing: 'Paused: no new calls start',
  noteAdded: (text: string) => `${labels.note}: ${text}`,
  notePassedOn: (text: string, run: string) => `Note from the model of run ${run}: ${text}`,
  questionExpired: (question: string) => `${question} expired without an answer`,
  didNotStop: (task: string, operation: string) =>
    `${task} ${operation} didn't stop when asked and may still be running`,

  cancelling: 'Cancelling… Ctrl-C again to quit now',
  cancelReason: 'Requested by the user',
  interrupted: 'Interrupted with Ctrl-C',
  cancelledAt: (question: string) => `Stopped at the question: ${question}`,
  cancelNoted: 'Cancelling the run.',
  told: 'Note added. The next decision will use it.',
  pauseNoted: 'Pausing. Running calls will finish.',
  answered: 'Answer saved.',
  rated: (rating: number) => `Rating saved: ${rating} of 5.`,

  summary: (outcome: Report['outcome'] | 'interrupted', used: string) => `${statuses[outcome]}, ${used}`,
  used: ({ time, calls, tokens, isEstimated, cost }: Used) =>
    [
      time,
      ...(calls === 0 ? [] : [labels.modelCallCount(calls)]),
      ...(tokens === 0 ? [] : [`${isEstimated ? 'about ' : ''}${tokens.toLocaleString('en')} tokens`]),
      ...(cost === undefined ? [] : [cost]),
    ].join(', '),
  watching: (file: string) => `Waiting for a change of ${file}. Ctrl-C ends.`,
  runId: (run: string) => `run ${run}`,
  subGoalOf: (run: string) => `sub-goal of ${run}`,
  missing: labels.notCompleted,
  revisionsMade: labels.revisions,
  reflectionsMade: 'Reflections',
  waiting: 'Waiting for your answer',
  toolWaits: 'The tool is waiting for this answer.',
  page: (url: string, host: string) => `Open: ${url} (host: ${host})`,
  howToAnswer: (run: string, question: string) => `Answer:  dandori answer ${run} ${question} <answer>`,
  howToFillIn: (run: string, question: string, fields: readonly string[]) =>
    `Answer:  dandori answer ${run} ${question} ${fields.map((name) => `--field ${name}=<value>`).join(' ')}`,
  howToGoOn: (run: string, amounts: string) =>
    `Raise the limit and resume:  dandori resume ${run} --raise ${amounts}`,
  resumeWith: (run: string) => `Resume:  dandori resume ${run}`,
  resumeUndriven: (run: string) => `If it isn't running:  dandori resume ${run}`,
  alsoWaiting: labels.waitingForThis,
  expiresIn: labels.expiresIn,
  hasExpired: labels.expired,
  byDefault: labels.defaultAnswer,
  mayAnswer: labels.answerers,
  askedAgo: (time: string) => `Asked ${time} ago`,
  noQuestions: 'No open questions.',

  noLanguageModel: 'No model configured; using the built-in planner. To add a model:  dandori init',
  serverMissing: (server: string) => `${server} is not available`,
  unseen: (server: string) =>
    `${server} describes its tools differently than when you added it. Until you look at them, that counts as external content:  dandori add ${server}`,
  effectUnknown: (name: string, near: string | undefined) =>
    `effects: no tool ${name}${near === undefined ? '' : `. Did you mean ${near}?`}`,
  probeUnfit: (name: string, probe: string, isThere: boolean) =>
    `effects: ${name} can't be checked with ${probe}: ${isThere ? 'it is not a read' : 'there is no such tool'}`,
  torn: (bytes: number) =>
    `The journal ends with an incomplete event (${countOf(bytes, 'byte')}), left by a crash. It is ignored.`,
  userConfig: {
    withoutIt: (user: string, detail: string) =>
      `The configuration of user ${user} can't be used (${detail}). Using the settings of the file.`,
    refused: (user: string, keys: string) =>
      `Ignored from the configuration of user ${user}, because only the file can set it: ${keys}`,
  },

  menuTitle: 'Try one of these (no API key or network needed):',
  menuPrompt: 'Goal (a number, or your own words; empty to quit): ',
  menuUsage: 'Run a goal:  dandori run "…"      All commands:  dandori --help',
  noRuns: 'No runs yet. Start one:  dandori run "100 + 200を計算"',
  noTools: 'No tools are connected.',
  written: (file: string) => `Created ${file}. Review it, then:  dandori run "…"`,
  planGoal: (file: string) => `Run ${file}`,
  planFits: (count: number) => `The plan is valid: ${labels.taskCount(count)}.`,

  /** An effect in the middle of a line. */
  effect: (effect: Effect) => words.effects[effect].toLowerCase(),
  after: labels.after,
  calls: (calls: number, reads: number, writes: number) =>
    `${countOf(calls, 'call')}: ${countOf(reads, 'read')}, ${countOf(writes, 'write')}`,
  leftOpen: (ids: string) => `Calls, effects and cost are unknown until planned: ${ids}`,
  openPart: labels.plannedLater.toLowerCase(),
  irreversible: (ids: string) => `${words.effects.destructive}: ${ids}`,
  longestPath: (ids: string) => `${labels.criticalPath}: ${ids}`,
  time: (times: string) => `${labels.time}: ${times}`,
  expected: labels.about,
  atWorst: labels.upTo,
  cost: (once: string, atWorst: string) => `${labels.cost}: ${once}, ${labels.upTo(atWorst)}`,
  wholePlan: labels.fullPlan,
  plannedCalls: (operation: string, effect: string, calls: number) =>
    `${operation} (${effect})${calls > 1 ? ` ×${calls}` : ''}`,
  objective: outline.objective,
  criteria: outline.successCriteria,
  constraints: outline.constraints,
  plans: {
    approve: answers.approve,
    reject: answers.rejectWithReason,
    edit: answers.editPlan,
    reason: 'Reason, or what to do instead',
    again: 'Open the editor again?',
    unchanged: 'No changes. The plan is still waiting for your approval.',
    approved: (question: string) => `Approved: ${question}`,
    rejected: (question: string) => `Rejected: ${question}`,
    was: (call: string) => `was: ${call}`,
    note: (note: string) => `Warning: ${note}`,
    stepTouches: 'calls unknown until planned',
    limits: (calls: number, tasks: number, time: string, cost: number | undefined) =>
      `Limits: ${labels.modelCallCount(calls)}, ${labels.taskCount(tasks)}, ${time}${cost === undefined ? '' : `, $${cost}`}`,
    problem: (task: string | undefined, message: string) =>
      `The edited plan has a problem: ${task === undefined ? '' : `${task}: `}${message}`,
    howToEdit: [
      'Change, add or remove tasks, then save and close. Dandori checks the plan and runs it as written here.',
      'To go back to the question, close it without changes.',
    ],
    howToApprove: (run: string, question: string) => `Approve:  dandori approve ${run} ${question}`,
    howToReject: (run: string, question: string) =>
      `Reject:   dandori reject ${run} ${question} --reason "…"`,
    howToChange: (run: string, question: string) => `Edit:     dandori approve ${run} ${question} --edit`,
  },
  again: {
    modelFailed: labels.modelFailed,
    whole: (run: string) => `${labels.runAgain}:  dandori fork ${run} --from start`,
    changed: (run: string) =>
      `With changes:  dandori save-plan ${run} > plan.yaml, edit it, then dandori run --plan plan.yaml`,
    failed: (run: string) => `${labels.fromFailed}:  dandori fork ${run} --from failed`,
  },
  approvals: {
    none: 'No standing approvals. You get the choice when Dandori asks for an approval.',
    anyArguments: labels.anyArguments,
    revoked: (id: string) => `Revoked: ${id}`,
    howToRevoke: (id: string) => `Revoke:  dandori approvals revoke ${id}`,
  },
  /** Names in the context of a question about a call. */
  contextNames: {
    ...words.contextNames,
    step: labels.step,
    attempt: labels.attempt,
    key: labels.idempotencyKey,
    called: 'Called at',
    cause: 'Reason',
    done: labels.finishedCalls,
  } as Readonly<Record<string, string>>,
  replies: {
    answer: answers.answer,
    decline: answers.decline,
    cancel: answers.cancelRun,
    why: labels.reasonOptional,
    keys: { one: '↑/↓, Enter', some: '↑/↓, Space to select, Enter' },
    elsewhere: (question: string, answer: string | undefined, by: string | undefined) =>
      `${by ?? labels.anotherUser} ${answer === undefined ? `declined ${question}` : `answered ${question}: ${answer}`}`,
    optional: labels.optional,
    leaveOut: 'Skip',
    needed: labels.required,
    flag: (value: boolean): string => (value ? labels.yes : labels.no),
    number: 'number',
    integer: 'whole number',
    default: (value: string) => `default: ${value}`,
  },
  serving: {
    at: (url: string) => `Dandori is running at ${url}  (API: ${url}/docs)`,
    open: 'No access tokens: anyone on this machine has full access. Create one:  dandori token',
    working: (atOnce: number) =>
      `Dandori drives the runs of its store, ${atOnce} at a time. Ctrl-C stops it.`,
    stopping: (seconds: number) =>
      `Stopping. Running calls have ${seconds} s to finish. Runs resume at the next start.`,
    tokenMade: 'Access token (shown once; keep it secret):',
    tokenEntry: 'Add this under server.tokens in dandori.yaml:',
    untraced: (detail: string) =>
      `Can't send traces to the OpenTelemetry collector: ${detail}. Runs are not affected.`,
  },
};

export type CliTexts = typeof cli;
