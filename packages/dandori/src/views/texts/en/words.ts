import type { Limit, Reflection } from '../../../model/decision.ts';
import type { Outcome, Purpose } from '../../../model/event.ts';
import type { Change, Outline } from '../../../model/plan.ts';
import type { Question, reversibility, TrustAbout, TrustReason } from '../../../model/question.ts';
import type { ApprovalPolicy, Mode, Role } from '../../../model/settings.ts';
import type { Effect } from '../../../model/tool.ts';
import type { TaskStatus } from '../../../run/state/state.ts';
import { labels } from './labels.ts';

/** The statuses of runs, tasks and plans. A word that two of them share means the same in both. */
export type Status =
  | TaskStatus
  | Outcome
  | 'skipped'
  | 'open'
  | 'interrupted'
  | 'queued'
  | 'paused'
  | 'damaged'
  | 'draft'
  | 'approved'
  | 'rejected'
  | 'in_progress'
  | 'completed'
  | 'replaced';

type DifferenceKind =
  | 'goal'
  | 'settings'
  | 'plan'
  | 'call'
  | 'outcome'
  | 'result'
  | 'answer'
  | 'usage'
  | 'time';

/**
 * One word for each value that people see, in sentence case. The command line and the page share this table.
 */
export interface Words {
  readonly statuses: Readonly<Record<Status, string>>;
  readonly effects: Readonly<Record<Effect, string>>;
  readonly modes: Readonly<Record<Mode, string>>;
  readonly approvals: Readonly<Record<ApprovalPolicy, string>>;
  readonly limits: Readonly<Record<Limit, string>>;
  readonly questions: Readonly<Record<Question['kind'], string>>;
  readonly reflections: Readonly<Record<Reflection['status'], string>>;
  readonly changes: Readonly<Record<Change['kind'], string>>;
  /** In what two runs differ. */
  readonly differences: Readonly<Record<DifferenceKind, string>>;
  readonly purposes: Readonly<Record<Purpose, string>>;
  readonly roles: Readonly<Record<Role, string>>;
  readonly outline: Readonly<
    Record<keyof Pick<Outline, 'objective' | 'successCriteria' | 'constraints'>, string>
  >;
  /** Whether a call can be undone. */
  readonly undo: Readonly<Record<ReturnType<typeof reversibility>, string>>;
  /** Why a call is asked about, and where a value was read. */
  readonly trust: Readonly<{
    because: Readonly<Record<TrustAbout['because'], string>>;
    from: (task: string, operation: string, quote: string | undefined) => string;
    offered: (operation: string) => string;
    flagged: (operation: string, task: string, quote: string) => string;
    unseen: (servers: readonly string[]) => string;
    /** For the developer: what to do so that results of these tools cause no question. */
    trustMissing: (tools: readonly string[]) => string;
    goal: string;
    unknown: string;
    trusted: string;
    untrusted: string;
    wayOut: string;
    aims: (names: readonly string[], isConfigured: boolean) => string;
    /** What will be asked about a planned call. */
    verdicts: Readonly<Record<'free' | 'ordered' | 'asks', string>>;
    /** Why a call was made without a question, or not made. */
    reasons: Readonly<Record<TrustReason['because'], string>>;
    firstRead: (source: string | undefined) => string;
    asked: (question: string) => string;
    expired: (question: string) => string;
    answered: (question: string, answer: string, by: string | undefined) => string;
    nothing: string;
  }>;
  /** Names in the context of a question about a call. */
  readonly contextNames: Readonly<
    Record<
      'effect' | 'input' | 'probe' | 'open' | 'previewFailed' | 'also' | 'planned' | 'reversible',
      string
    >
  >;
  /** Buttons and choices that answer a question. */
  readonly answers: Readonly<
    Record<
      'approve' | 'reject' | 'rejectWithReason' | 'editPlan' | 'decline' | 'answer' | 'cancelRun',
      string
    >
  >;
}

export const words: Words = {
  statuses: {
    open: 'Running',
    interrupted: 'Interrupted',
    queued: 'Queued',
    waiting: 'Waiting for an answer',
    paused: 'Paused',
    answered: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
    exhausted: 'Limit reached',
    damaged: 'Damaged',
    pending: 'Pending',
    ready: 'Ready',
    running: 'Running',
    retrying: 'Retrying',
    in_doubt: 'Unconfirmed',
    expanding: 'In progress',
    succeeded: 'Done',
    blocked: 'Blocked',
    skipped: 'Skipped',
    draft: 'Draft',
    approved: 'Approved',
    rejected: 'Rejected',
    in_progress: 'In progress',
    completed: 'Done',
    replaced: 'Replaced',
  },
  effects: { read: 'Read', idempotent: 'Retry-safe write', write: 'Write', destructive: 'Destructive' },
  modes: {
    auto: 'Auto',
    direct: 'Direct',
    adaptive: 'Adaptive',
    planned: 'Planned',
    hierarchical: 'Hierarchical',
  },
  approvals: {
    never: 'Never',
    destructive: 'Destructive calls',
    writes: 'Writes',
    step: 'Plan and each step',
    plan: labels.plan,
    always: 'Every call',
  },
  limits: {
    steps: 'Steps',
    calls: labels.modelCalls,
    tasks: labels.tasks,
    time: labels.time,
    cost: labels.cost,
    tokens: labels.tokens,
    revisions: labels.revisions,
    loop: 'Loop',
  },
  questions: {
    ambiguity: 'Choice',
    approval: 'Call approval',
    plan_approval: 'Plan approval',
    missing_input: 'Missing info',
    elicitation: 'Tool question',
    in_doubt: labels.outcomeCheck,
  },
  reflections: { success: 'On track', failure: 'Off track', partial: 'Partly done' },
  changes: { add: 'Added', remove: 'Removed', replace: 'Changed', reorder: 'Reordered' },
  differences: {
    goal: labels.goal,
    settings: labels.settings,
    plan: labels.plan,
    call: labels.call,
    outcome: labels.outcome,
    result: labels.result,
    answer: labels.finalAnswer,
    usage: labels.usage,
    time: labels.time,
  },
  purposes: {
    act: 'Next tasks',
    generate: 'Tasks of a step',
    answer: labels.finalAnswer,
    conclude: 'Final answer from the results so far',
  },
  roles: { viewer: 'Viewer', operator: 'Operator', admin: 'Admin' },
  outline: { objective: 'Objective', successCriteria: 'Success criteria', constraints: 'Constraints' },
  undo: { no: labels.no, said: 'Yes, according to the tool', unknown: 'Unknown' },
  trust: {
    because: {
      not_ordered:
        'The model decided on this call after it had read external content (text that you did not write).',
      aimed:
        'A value made from external content (text that you did not write) decides what this call affects.',
    },
    from: (task, operation, quote) =>
      `read in ${operation} (${task})${quote === undefined ? '' : `: “${quote}”`}`,
    unseen: (servers) =>
      `What ${servers.join(', ')} says about its tools counts as external content: you have not seen these words.`,
    trustMissing: (tools) => {
      const [says, it, returns] =
        tools.length === 1 ? ['does not say', 'it', 'returns'] : ['do not say', 'they', 'return'];
      return `${tools.join(', ')} ${says} trusted: true, so what ${it} ${returns} counts as external content. If ${it} ${returns} no text that others wrote, add trusted: true to the definition.`;
    },
    flagged: (operation, task, quote) => `Reads like an instruction, in ${operation} (${task}): “${quote}”`,
    offered: (operation) => `given by ${operation}`,
    goal: 'in your goal',
    unknown: 'written by the model',
    trusted: 'results trusted',
    untrusted: 'results may contain external content',
    wayOut: 'can send data out',
    aims: (names, isConfigured) =>
      `${names.length === 0 ? 'no argument decides what it affects' : `${names.join(', ')} ${names.length === 1 ? 'decides' : 'decide'} what it affects`}${isConfigured ? ' (trust.tools)' : ''}`,
    verdicts: { free: 'Never asked about', ordered: 'Runs: you ordered it', asks: 'Asks' },
    reasons: {
      ordered: 'called, you ordered it',
      permitted: 'called, announced before anything was read',
      approved: 'called, you approved it',
      observed: 'called; the policy only observes, otherwise you would have been asked',
      allowed: 'called, a rule of trust.rules allows it',
      denied: 'not called, a rule of trust.rules forbids it',
      refused: 'not called, you refused it or did not answer in time',
    },
    firstRead: (source) =>
      source === undefined
        ? 'From here on, the model has read external content'
        : `From here on, the model has read external content: ${source}`,
    asked: (question) => `asked (${question})`,
    expired: (question) => `${question} expired, so the call is refused`,
    answered: (question, answer, by) =>
      `${question} was answered${by === undefined ? '' : ` by ${by}`}: ${answer}`,
    nothing: 'No call of this run was checked for external content.',
  },
  contextNames: {
    effect: labels.effect,
    input: 'Input',
    probe: labels.outcomeCheck,
    open: 'Unconfirmed call',
    previewFailed: 'No preview',
    also: 'Also waiting',
    planned: 'Also planned',
    reversible: 'Can be undone',
  },
  answers: {
    approve: 'Approve',
    reject: 'Reject',
    rejectWithReason: 'Reject with a reason',
    editPlan: 'Edit plan',
    decline: 'Decline',
    answer: 'Answer',
    cancelRun: 'Cancel run',
  },
};
