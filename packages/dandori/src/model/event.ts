import * as z from 'zod';
import { brief, limit, offer, reflection, usage } from './decision.ts';
import { failure } from './failure.ts';
import { json, jsonObject } from './json.ts';
import { access, diagnostic, estimate, outline, revision } from './plan.ts';
import { option, question } from './question.ts';
import { settings } from './settings.ts';
import { task } from './task.ts';
import { effect } from './tool.ts';

/** Where a value is kept that is too large for the journal. */
export const blobHandle = z.object({
  sha256: z.string(),
  bytes: z.number(),
  /** The beginning of the value as text, so that a reader of the journal sees what it is. */
  head: z.string(),
  /** Keys, types and lengths, so that a prompt can tell what is in it without loading it. */
  shape: z.string().optional(),
});
export type BlobHandle = z.infer<typeof blobHandle>;

/**
 * Facts, in the past tense. A run is the list of them and nothing else; `run/state/apply` folds them into state.
 * Adding an optional field is compatible. Anything else raises `EVENT_VERSION`, and `run/state/upgrade` reads the old form.
 *
 * From version 2 on a fact carries what was decided about it (when a task is retried, what an answer leads to). In
 * version 1 the fold worked that out. A journal may hold both.
 */
export const EVENT_VERSION = 2;

export const outcome = z.enum(['answered', 'failed', 'cancelled', 'exhausted']);
export type Outcome = z.infer<typeof outcome>;

/**
 * `act`: what next? `generate`: the tasks of these steps, please. `answer`: every task of the given plan is done.
 * `conclude`: a limit is reached, answer with what is there.
 */
export const purpose = z.enum(['act', 'generate', 'answer', 'conclude']);
export type Purpose = z.infer<typeof purpose>;

/** What the compiler found out about a task of an accepted plan. */
const checkedTask = z.object({
  id: z.string(),
  effect,
  /** Tasks that must have succeeded first: by Ref or by `after`. */
  needs: z.array(z.string()).optional(),
  /** Tasks that must have ended first, whichever way, because they touch the same resource. */
  waits: z.array(z.string()).optional(),
  /** The same, where many wait for the same many: positions in the plan's `groups`. */
  waitsForGroups: z.array(z.number().int()).optional(),
  /** Milliseconds from its start to the end of the longest path behind it, as expected. What is urgent starts first. */
  rank: z.number().optional(),
  /** US dollars a call, where it has a price. */
  cost: z.number().optional(),
  /** The server whose limit of calls at once counts, where it is not the operation's part before the first dot. */
  lane: z.string().optional(),
});
export type CheckedTask = z.infer<typeof checkedTask>;

const fact = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), data: z.object(shape) });

const attempt = { task: z.string(), attempt: z.number().int().positive() };
/** `key` is made of the key of its task, the operation and the arguments, so that no other call ever has it. */
const innerCall = { key: z.string(), operation: z.string(), args: jsonObject };
/** What becomes of a call whose outcome was unknown: it is made again, or it must be found out whether it took effect. */
const next = z.enum(['again', 'settle']).optional();
/** The call was told to stop and went on: what it does after this, nobody hears. */
const unstopped = z.boolean().optional();

/** The run whose model passed it on. Absent where a person said it: only then are they a person's words. */
const passedOnBy = z.object({ run: z.string() }).optional();

/** By how much the limits of a run are raised; `time` in milliseconds. */
export const amounts = {
  steps: z.number().int().positive().optional(),
  calls: z.number().int().positive().optional(),
  tasks: z.number().int().positive().optional(),
  time: z.number().positive().optional(),
  cost: z.number().positive().optional(),
  tokens: z.number().int().positive().optional(),
  revisions: z.number().int().positive().optional(),
};

export const factSchema = z.discriminatedUnion('type', [
  fact('run_started', {
    goal: z.string(),
    settings,
    mind: z.string(),
    userId: z.string().optional(),
    /** True where the first plan comes from the user, so that the mind is not asked for one. */
    planGiven: z.boolean().optional(),
    /** The run whose past this one shares, up to this event. Keys of calls in that past are those of the other run. */
    forkedFrom: z.object({ run: z.string(), seq: z.number().int().positive() }).optional(),
    /** The conversation that it belongs to, and what the mind is told of that. */
    conversation: z.string().optional(),
    context: z.string().optional(),
    /**
     * The mind may cancel another run of the conversation without a question, as long as it has seen no tool's words:
     * the user's message asks to stop something, or no tool has spoken in the conversation before it.
     */
    mayCancel: z.boolean().optional(),
    /** Secrets stand in it as marks, from which a call gets them back. Before version 0.2 they were lost. */
    sealed: z.literal(true).optional(),
  }),
  /** A driver has taken up a run that another one left. The time in between does not count. */
  fact('run_resumed', {
    by: z.string(),
    /** The model call that was lost with the other driver is not counted. */
    forgiven: z.literal(true).optional(),
  }),
  /** `offer`: the tools that the mind is told of with it, where there is something new to tell. */
  fact('decision_started', {
    decision: z.number().int(),
    purpose,
    brief: brief.optional(),
    offer: offer.optional(),
    /** No model is called for it, so that it does not count as a call. */
    free: z.literal(true).optional(),
  }),
  fact('decision_made', {
    decision: z.number().int(),
    reasoning: z.string().optional(),
    /** Our own operations among the actions (`answer`, `ask`); tool calls follow as `plan_proposed`. */
    operations: z.array(task).optional(),
    /** All actions as the mind gave them, where `operations` and the plan that follows do not hold them whole. */
    actions: z.array(task).optional(),
    /** Steps that the mind ended without tasks: done, with its note as the result, or given up. */
    endedSteps: z
      .array(z.object({ step: z.string(), result: json.optional(), failure: failure.optional() }))
      .optional(),
    /** What had to be mended in the model's output before it could be used. */
    repaired: z.string().optional(),
    model: z.string().optional(),
    usage: usage.optional(),
    ms: z.number(),
  }),
  fact('decision_failed', {
    decision: z.number().int(),
    failure,
    model: z.string().optional(),
    /** The model that is asked in its place from here on. */
    next: z.string().optional(),
    /** The mind is not asked again before this time. */
    retryAt: z.number().optional(),
    /** Asking again cannot help: the run fails. */
    final: z.literal(true).optional(),
    usage: usage.optional(),
    ms: z.number(),
  }),
  fact('reflection_made', {
    decision: z.number().int(),
    ...reflection.shape,
    /** `runtime` where the mind was asked to look back and did not say how it stands. */
    by: z.enum(['mind', 'runtime']),
  }),
  /** `repair`: what the mind wrote with the certain mistakes corrected; `plan_approved` notes which. */
  fact('plan_proposed', {
    version: z.number().int(),
    by: z.enum(['mind', 'user', 'repair']),
    tasks: z.array(task),
    outline: outline.optional(),
    /** Tasks that were never begun and stand in `tasks` again, as what they wait for has changed. */
    removes: z.array(z.string()).optional(),
  }),
  /** A change of an accepted plan: what was not begun is written anew, and what has ended stays. */
  fact('plan_revised', {
    version: z.number().int(),
    by: z.enum(['mind', 'user', 'repair']),
    ...revision.shape,
    /** Tasks that were never begun and are replaced by `tasks`. */
    removes: z.array(z.string()),
    /** Tasks that have failed and that others now stand for. */
    supersedes: z.array(z.string()).optional(),
    /** The task that a person's choice has put `tasks` in the place of. */
    replaces: z.string().optional(),
    tasks: z.array(task),
    /** Where the plan was proposed anew. */
    outline: outline.optional(),
  }),
  fact('plan_approved', {
    version: z.number().int(),
    tasks: z.array(checkedTask),
    groups: z.array(z.array(z.string())).optional(),
    /** In the order that is kept, where what a task touches depends on its arguments: an answer may change them. */
    accesses: z.array(access).optional(),
    notes: z.array(z.string()).optional(),
    /** Where a person will be asked about some of its calls. */
    estimate: estimate.optional(),
    /** The question by which a person approved it, where one was asked. */
    question: z.string().optional(),
  }),
  fact('plan_rejected', {
    version: z.number().int(),
    diagnostics: z.array(diagnostic),
    /** Why a person did not approve it, where one was asked; empty where they did not say. */
    reason: z.string().optional(),
    /** Where it is right but for what it repeats: the tasks that have done the same already. */
    repeats: z
      .object({
        tasks: z.array(z.string()),
        /** The mind was told of them, proposed the same again, and no one can be asked. */
        isInsisted: z.boolean().optional(),
      })
      .optional(),
    /** The mind is not asked for another one: the run fails. */
    final: z.literal(true).optional(),
    /** Where it was to replace a task: what the task fails with. */
    failure: failure.optional(),
  }),
  fact('task_started', {
    ...attempt,
    key: z.string(),
    /** The arguments as sent, where they differ from the written ones. */
    args: jsonObject.optional(),
    /** Calls of its service, by key: what is known of the first is forgotten, the end of the second is unknown again. */
    forgets: z.array(z.string()).optional(),
    reopens: z.array(z.string()).optional(),
  }),
  fact('task_succeeded', {
    ...attempt,
    result: json.optional(),
    blob: blobHandle.optional(),
    /** What is odd about the result, where it can be used all the same. */
    note: z.string().optional(),
    ms: z.number(),
  }),
  fact('task_failed', {
    ...attempt,
    failure,
    unstopped,
    /** The tool was not reached: nothing can have happened, and nothing is paid. */
    unsent: z.literal(true).optional(),
    /** When it is tried again. Absent where the task has failed for good. */
    retryAt: z.number().optional(),
    ms: z.number(),
  }),
  fact('task_in_doubt', {
    ...attempt,
    /** `unanswered`: it ended without a result while a person was asked for its input. */
    cause: z.enum(['driver_lost', 'timeout', 'connection_lost', 'cancelled', 'unanswered']),
    message: z.string().optional(),
    unstopped,
    next,
    /** The driver was lost, not the tool: it does not count as an attempt. */
    forgiven: z.literal(true).optional(),
  }),
  /** A call that a service makes while its task runs, before it leaves the house. A read has only its end. */
  fact('inner_call_started', { ...attempt, ...innerCall, effect }),
  /** How it ended: with a result, or as one of the three below says. It is durable before the service sees it. */
  fact('inner_call_ended', {
    ...attempt,
    key: innerCall.key,
    operation: innerCall.operation,
    /** Of a read, which has no start of its own. */
    args: innerCall.args.optional(),
    effect: effect.optional(),
    result: json.optional(),
    blob: blobHandle.optional(),
    failure: failure.optional(),
    /** Whether it took effect is unknown. */
    lost: z
      .object({ cause: z.enum(['timeout', 'connection_lost', 'cancelled']), message: z.string() })
      .optional(),
    /** Nothing was done: a person has to choose first. */
    ambiguous: z
      .object({
        question: z.string(),
        options: z.array(option),
        form: jsonObject.optional(),
        default: json.optional(),
      })
      .optional(),
    ms: z.number(),
  }),
  /** A call in doubt is looked for before anybody is asked. */
  fact('probe_started', { ...attempt, operation: z.string(), args: jsonObject }),
  fact('probe_ended', {
    ...attempt,
    found: z.enum(['happened', 'not_happened', 'unknown']),
    /** Why nothing is known. */
    message: z.string().optional(),
    /** Where it did not happen. */
    next,
    /** Of the call in doubt, where it happened and the probe brings it. */
    result: json.optional(),
    blob: blobHandle.optional(),
    ms: z.number(),
  }),
  fact('question_asked', {
    question,
    attempt: z.number().int().optional(),
    /** The call is held open until it is answered. */
    held: z.boolean().optional(),
    /** How the server wants the answer, where its call has ended: under a name, and with what it wants back. */
    input: z.object({ name: z.string().optional(), state: z.string().optional() }).optional(),
    /** Later tasks that wait for its task, as one of the options would make it touch what they touch. */
    holdsBack: z.array(z.string()).optional(),
  }),
  /** A call was held open for an answer for as long as may be; its server is told that nobody answers. */
  fact('hold_ended', attempt),
  fact('question_answered', {
    question: z.string(),
    /** Null where it was declined. */
    answer: json,
    /** The person will not say, or says no. */
    declined: z.boolean().optional(),
    /** Why, or what should be done in place of it. */
    comment: z.string().optional(),
    by: z.string().optional(),
  }),
  /** Nobody answered in time. It counts as answered by its default, as declined, or the run as cancelled. */
  fact('question_expired', {
    question: z.string(),
    as: z.enum(['default', 'declined', 'cancelled']),
    message: z.string().optional(),
  }),
  /** What the answers that a task waited for lead to. Decided by the driver, after the last of them. */
  fact('answer_applied', {
    task: z.string(),
    question: z.string(),
    /** `ready`: it goes on as soon as what it waits for has ended. `running`: its call was held open and goes on. */
    to: z.enum(['ready', 'running', 'in_doubt', 'replacing', 'succeeded', 'failed']),
    /** The digest of the call that was approved. */
    approved: z.string().optional(),
    /** Its arguments, where the answer has changed them. */
    args: jsonObject.optional(),
    /** Who has to wait for whom, as it touches something else now. */
    waits: z.array(z.object({ task: z.string(), for: z.string() })).optional(),
    /** What is done instead of it. */
    tasks: z.array(task).optional(),
    /** The call of its service that was in doubt, and whether it took effect. */
    inner: z.object({ key: z.string(), took: z.enum(['effect', 'no_effect']) }).optional(),
    failure: failure.optional(),
  }),
  /** A word to a run that is under way, of a person or passed on by a model; the next decision is told. */
  fact('note_added', { text: z.string(), by: z.string().optional(), passedOnBy }),
  /** Nothing more is begun until it is continued; what runs comes to its end. */
  fact('run_paused', { reason: z.string().optional(), by: z.string().optional() }),
  fact('run_continued', { by: z.string().optional() }),
  /** The run would need more than is left of this limit; nothing more is begun. */
  fact('limit_reached', { limit: z.enum(['tokens', 'cost']), needed: z.number(), left: z.number() }),
  /** More of what a limit allows. A run that was exhausted goes on. */
  fact('budget_added', { ...amounts, by: z.string().optional() }),
  fact('cancel_requested', { reason: z.string(), by: z.string().optional(), passedOnBy }),
  fact('run_finished', {
    outcome,
    answer: z.string().optional(),
    failure: failure.optional(),
    /** What was not done, where the outcome is not `answered`. */
    missing: z.array(z.string()).optional(),
    /** The same as codes, in the same order. */
    undone: z.array(z.object({ code: z.string(), params: jsonObject.optional() })).optional(),
    /** The one that ended it, where the outcome is `exhausted`. */
    limit: limit.optional(),
  }),
  /** What a person thinks of a run that has ended. Of several the last one counts. */
  fact('run_rated', {
    rating: z.number().int().min(1).max(5),
    comment: z.string().optional(),
    by: z.string().optional(),
    /** Of the run, once more: who lists runs reads the last event only. */
    outcome,
  }),
]);
export type Fact = z.infer<typeof factSchema>;
export type FactType = Fact['type'];
export type FactOf<T extends FactType> = Extract<Fact, { type: T }>;

/** `at` is in milliseconds since 1970, so that the core can reckon with it without a Date. */
export interface Envelope {
  readonly v: 1 | typeof EVENT_VERSION;
  readonly run: string;
  readonly seq: number;
  readonly at: number;
}
export type Event = Envelope & Fact;

/** A fact with its place in the journal of a run. */
export function eventOf({ type, data }: Fact, { run, seq, at }: Omit<Envelope, 'v'>): Event {
  return { v: EVENT_VERSION, run, seq, at, type, data } as Event;
}

export const envelopeSchema = z.object({
  v: z.literal([1, EVENT_VERSION]),
  run: z.string(),
  seq: z.number().int().positive(),
  at: z.number(),
});

const COMMANDS: ReadonlySet<FactType> = new Set([
  'cancel_requested',
  'question_answered',
  'note_added',
  'run_paused',
  'run_continued',
  'budget_added',
  'run_rated',
]);

/** Facts that come from outside the driver; it takes them up and goes on where any other writer makes it stand down. */
export function isCommand(type: FactType): boolean {
  return COMMANDS.has(type);
}

/** The stored result that an event refers to, where it does. */
export function blobOf(event: Event): BlobHandle | undefined {
  switch (event.type) {
    case 'task_succeeded':
    case 'inner_call_ended':
    case 'probe_ended':
      return event.data.blob;
    default:
      return undefined;
  }
}
