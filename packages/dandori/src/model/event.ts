import * as z from 'zod';
import { brief, limit, mayAnswer, offer, passedOn, reflection, usage } from './decision.ts';
import { failure, lostCause, saidFields } from './failure.ts';
import { json, jsonObject } from './json.ts';
import { access, diagnostic, estimate, outline, planAuthor, revision } from './plan.ts';
import { allowance, ambiguity, previewFinding, question, trustReason } from './question.ts';
import { amounts, language, settings } from './settings.ts';
import { share, subGoalEnd, subGoalStart } from './sub-goal.ts';
import { type Action, attachment, type BlobHandle, blobHandle, task } from './task.ts';
import { effect } from './tool.ts';

export { type BlobHandle, blobHandle };

/**
 * Facts, in the past tense. A run is the list of its facts and nothing else; `run/state/apply` folds them
 * into state. Adding an optional field is compatible. Any other change raises `EVENT_VERSION`, and
 * `run/state/version-1` reads the old form.
 *
 * Since version 2 a fact includes what was decided about it (when a task is retried, what an answer leads
 * to). In version 1 the fold computed that. A journal may contain both versions.
 */
export const EVENT_VERSION = 2;

export const outcome = z.enum(['answered', 'failed', 'cancelled', 'exhausted']);
export type Outcome = z.infer<typeof outcome>;

/** The status of a run that has no outcome yet. */
export const UNFINISHED = ['open', 'waiting', 'paused'] as const;
export const isUnfinished = (status: string) => UNFINISHED.some((one) => one === status);

/**
 * `act`: decide what to do next. `generate`: write the tasks of these steps. `answer`: every task of the
 * given plan is done. `conclude`: a limit is reached, so answer from the results so far.
 */
export const purpose = z.enum(['act', 'generate', 'answer', 'conclude']);
export type Purpose = z.infer<typeof purpose>;

/** What the compiler found out about a task of an accepted plan. */
const checkedTask = z.object({
  id: z.string(),
  effect,
  /** Tasks that must have succeeded first, because of a Ref or `after`. */
  needs: z.array(z.string()).optional(),
  /** Tasks that must have ended first, successfully or not, because they use the same resource. */
  waits: z.array(z.string()).optional(),
  /** The same for large sets that many tasks share: positions in the plan's `groups`. */
  waitsForGroups: z.array(z.number().int()).optional(),
  /** Expected milliseconds from its start to the end of the longest path. The highest rank starts first. */
  rank: z.number().optional(),
  /** US dollars per call, if the tool has a price. */
  cost: z.number().optional(),
  /** The server whose limit of concurrent calls applies, if the operation's prefix does not name it. */
  lane: z.string().optional(),
});
export type CheckedTask = z.infer<typeof checkedTask>;

export const fact = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), data: z.object(shape) });

const attempt = { task: z.string(), attempt: z.number().int().positive() };
/** `key` is derived from the key of the task, the operation and the arguments, so it is unique. */
const innerCall = { key: z.string(), operation: z.string(), args: jsonObject };
/** What happens to a call with an unknown outcome: repeat it, or find out whether it took effect. */
const next = z.enum(['again', 'settle']).optional();
/** The call was told to stop but is still running. Its outcome is ignored. */
const unstopped = z.boolean().optional();

const passedOnBy = passedOn.optional();
export const factSchema = z.discriminatedUnion('type', [
  fact('run_started', {
    goal: z.string(),
    settings,
    mind: z.string(),
    userId: z.string().optional(),
    /** JSON Schema of the output that the answer must have. */
    output: jsonObject.optional(),
    /** True if the user gave the first plan, so that the mind is not asked for one. */
    planGiven: z.boolean().optional(),
    /** The run whose past this one shares, up to this event. Calls in that past keep their keys. */
    forkedFrom: z.object({ run: z.string(), seq: z.number().int().positive() }).optional(),
    /** The conversation of the run, and what the mind is told about it. */
    conversation: z.string().optional(),
    context: z.string().optional(),
    /** Notes from earlier runs and the user, as the mind is told them. */
    memory: z.string().optional(),
    /** Files that the user gave with the goal. */
    attachments: z.array(attachment).optional(),
    /**
     * The mind may cancel another run of the conversation without asking, as long as it has read no tool
     * output. This requires that the user's message asks to stop something, or that no tool output came
     * before it.
     */
    mayCancel: z.boolean().optional(),
    /**
     * What the user's message says about open questions of other runs. The mind may give these answers without
     * asking, as long as it has read no tool output.
     */
    mayAnswer: z.array(mayAnswer).optional(),
    /** Servers and services whose results contain no stranger's words. Only with `settings.trust`. */
    sources: z.array(z.string()).optional(),
    /** SHA-256 of the tools. A tool that is described differently later may contain an order. */
    tools: z.string().optional(),
    /** Servers whose tools the mind is told in words that the user has not seen. They count as external content. */
    unseen: z.array(z.string()).optional(),
    /** The context, or something else that the mind is told at the start, contains output of tools. */
    hasHeardStrangers: z.literal(true).optional(),
    /** A run that had read external content suggested the goal, so its words are not the user's. */
    isSuggested: z.literal(true).optional(),
    ...subGoalStart,
    /** Secrets are stored as marks, and a call restores them. Before version 0.2 they were lost. */
    sealed: z.literal(true).optional(),
  }),
  /** A driver has resumed a run that another driver left. The time in between does not count. */
  fact('run_resumed', {
    by: z.string(),
    /** The model call that was lost with the other driver is not counted. */
    forgiven: z.literal(true).optional(),
  }),
  /** `offer`: the tools that the mind is told about, if there is something new. */
  fact('decision_started', {
    decision: z.number().int(),
    purpose,
    brief: brief.optional(),
    offer: offer.optional(),
    /** The tools that are not trusted are described differently than at the start of the run. */
    toolsChanged: z.literal(true).optional(),
    /** No model is called for this decision, so it does not count as a call. */
    free: z.literal(true).optional(),
  }),
  fact('decision_made', {
    decision: z.number().int(),
    reasoning: z.string().optional(),
    /** Our own operations among the actions (`answer`, `ask`); tool calls follow as `plan_proposed`. */
    operations: z.array(task).optional(),
    /** All actions as the mind gave them, if `operations` and the next plan lack some of them. */
    actions: z.array(task).optional(),
    /** Steps that the mind ended without tasks: either done, with its note as the result, or given up. */
    endedSteps: z
      .array(z.object({ step: z.string(), result: json.optional(), failure: failure.optional() }))
      .optional(),
    /** What had to be fixed in the model's output before it could be used. */
    repaired: z.string().optional(),
    model: z.string().optional(),
    usage: usage.optional(),
    ms: z.number(),
  }),
  fact('decision_failed', {
    decision: z.number().int(),
    failure,
    model: z.string().optional(),
    /** The model that is asked from now on. */
    next: z.string().optional(),
    /** The mind is not asked again before this time. */
    retryAt: z.number().optional().describe('Milliseconds since 1970'),
    /** A retry cannot help: the run fails. */
    final: z.literal(true).optional(),
    usage: usage.optional(),
    ms: z.number(),
  }),
  fact('reflection_made', {
    decision: z.number().int(),
    ...reflection.shape,
    /** `runtime` if the mind was asked to look back but gave no assessment. */
    by: z.enum(['mind', 'runtime']),
  }),
  /** `plan_approved` lists the fixes of a `repair`. */
  fact('plan_proposed', {
    version: z.number().int(),
    by: planAuthor,
    tasks: z.array(task),
    outline: outline.optional(),
    /** Tasks that never started and are repeated in `tasks`, because what they wait for has changed. */
    removes: z.array(z.string()).optional(),
  }),
  /** A change of an accepted plan. Tasks that have not started are rewritten; tasks that have ended stay. */
  fact('plan_revised', {
    version: z.number().int(),
    by: planAuthor,
    ...revision.shape,
    /** Tasks that never started and are replaced by `tasks`. */
    removes: z.array(z.string()),
    /** Failed tasks that other tasks now replace. */
    supersedes: z.array(z.string()).optional(),
    /** The task that a person's choice replaces by `tasks`. */
    replaces: z.string().optional(),
    tasks: z.array(task),
    /** Present if the plan was proposed again. */
    outline: outline.optional(),
  }),
  fact('plan_approved', {
    version: z.number().int(),
    tasks: z.array(checkedTask),
    groups: z.array(z.array(z.string())).optional(),
    /** In execution order. Present if a resource depends on arguments, which an answer may change. */
    accesses: z.array(access).optional(),
    notes: z.array(z.string()).optional(),
    /** Present if a person will be asked about some of its calls. */
    estimate: estimate.optional(),
    /** The question with which a person approved the plan, if there was one. */
    question: z.string().optional(),
  }),
  fact('plan_rejected', {
    version: z.number().int(),
    diagnostics: z.array(diagnostic),
    /** Why a person rejected the plan, if they were asked; empty if they gave no reason. */
    reason: z.string().optional(),
    /** Present if the plan is valid but repeats work: the tasks that have already done the same. */
    repeats: z
      .object({
        tasks: z.array(z.string()),
        /** The mind was told about them and proposed the same again, and there is no person to ask. */
        isInsisted: z.boolean().optional(),
      })
      .optional(),
    /** The mind is not asked for another plan: the run fails. */
    final: z.literal(true).optional(),
    /** If the plan was to replace a task, the failure of that task. */
    failure: failure.optional(),
  }),
  fact('task_started', {
    ...attempt,
    key: z.string(),
    /** The arguments as sent, if they differ from the written ones. */
    args: jsonObject.optional(),
    /**
     * Keys of calls made by its service. Their outcome is dropped (`forgets`) or unknown again (`reopens`).
     */
    forgets: z.array(z.string()).optional(),
    /** Why the call needed no question about its values. Missing for ordered writes, and if it never needs one. */
    trust: trustReason.optional(),
    share: share.optional(),
    reopens: z.array(z.string()).optional(),
  }),
  fact('task_succeeded', {
    ...attempt,
    result: json.optional(),
    blob: blobHandle.optional(),
    /** What is unusual about the result, although it can be used. */
    note: z.string().optional(),
    /** What an own tool used of a language model. */
    usage: usage.optional(),
    ...subGoalEnd,
    ms: z.number(),
  }),
  fact('task_failed', {
    ...attempt,
    failure,
    usage: usage.optional(),
    ...subGoalEnd,
    unstopped,
    /** The tool was not reached: nothing can have happened, and nothing is charged. */
    unsent: z.literal(true).optional(),
    /** When it is retried. Missing if the task has failed for good. */
    retryAt: z.number().optional().describe('Milliseconds since 1970'),
    ms: z.number(),
  }),
  fact('task_in_doubt', {
    ...attempt,
    /** `unanswered`: the call ended without a result while it waited for input from a person. */
    cause: z.enum(['driver_lost', 'timeout', 'connection_lost', 'cancelled', 'unanswered']),
    message: z.string().optional(),
    ...saidFields,
    hasHeardStrangers: subGoalEnd.hasHeardStrangers,
    unstopped,
    next,
    /** The driver was lost, not the tool, so this does not count as an attempt. */
    forgiven: z.literal(true).optional(),
  }),
  /** A call that a service makes while its task runs, written before it is sent. A read has only its end. */
  fact('inner_call_started', { ...attempt, ...innerCall, effect }),
  /** The end of such a call: a result, or an outcome below. It is durable before the service sees it. */
  fact('inner_call_ended', {
    ...attempt,
    key: innerCall.key,
    operation: innerCall.operation,
    /** Only for a read, which has no start event. */
    args: innerCall.args.optional(),
    effect: effect.optional(),
    result: json.optional(),
    blob: blobHandle.optional(),
    failure: failure.optional(),
    /** It is unknown whether the call took effect. */
    lost: z.object({ cause: lostCause, message: z.string(), ...saidFields }).optional(),
    /** Nothing was done: a person has to choose first. */
    ambiguous: ambiguity.optional(),
    ms: z.number(),
  }),
  /** A call in doubt is probed before a person is asked. */
  fact('probe_started', { ...attempt, operation: z.string(), args: jsonObject }),
  fact('probe_ended', {
    ...attempt,
    found: z.enum(['happened', 'not_happened', 'unknown']),
    /** Why the probe found nothing out. */
    message: z.string().optional(),
    ...saidFields,
    /** Present if the call did not happen. */
    next,
    /** The result of the call in doubt, if it happened and the probe returns it. */
    result: json.optional(),
    blob: blobHandle.optional(),
    ms: z.number(),
  }),
  /** The tool describes what a call would do, before it is approved. A lost preview is made again. */
  fact('preview_started', { task: z.string(), args: jsonObject }),
  fact('preview_ended', { task: z.string(), ...previewFinding, ms: z.number() }),
  /** An earlier approval covers the call: `question` of this run, or `standing` in the user's settings. */
  fact('call_approved', {
    task: z.string(),
    digest: z.string(),
    question: z.string().optional(),
    standing: z.string().optional(),
  }),
  fact('question_asked', {
    question,
    attempt: z.number().int().optional(),
    /** The call is held open until the question is answered. */
    held: z.boolean().optional(),
    /** How the server wants the answer after its call has ended: under which name, and with which state. */
    input: z.object({ name: z.string().optional(), state: z.string().optional() }).optional(),
    /** Later tasks that wait for its task, because one of the options would make it use the same resource. */
    holdsBack: z.array(z.string()).optional(),
    hasHeardStrangers: subGoalEnd.hasHeardStrangers,
  }),
  /** A call was held open for the maximum time. Its server is told that there is no answer. */
  fact('hold_ended', attempt),
  fact('question_answered', {
    question: z.string(),
    /** Null if the question was declined. */
    answer: json,
    /** The option that was chosen, as the person knows it. */
    label: z.string().optional(),
    /** The person declines to answer, or says no. */
    declined: z.boolean().optional(),
    /** The reason, or what should be done instead. */
    comment: z.string().optional(),
    by: z.string().optional(),
    /** The message of the conversation that is the answer. */
    message: z.string().optional(),
    /** The run whose model read the answer in that message. */
    readBy: z.object({ run: z.string() }).optional(),
    /** The language of the answer, if it can be detected. The run continues in it. */
    language: language.optional(),
  }),
  /** The question expired. It counts as answered by its default or as declined, or the run is cancelled. */
  fact('question_expired', {
    question: z.string(),
    as: z.enum(['default', 'declined', 'cancelled']),
    message: z.string().optional(),
  }),
  /** What the answers that a task waited for lead to. The driver decides this after the last of them. */
  fact('answer_applied', {
    task: z.string(),
    question: z.string(),
    /** `ready`: it runs when the tasks it waits for end. `running`: its call, held open, continues. */
    to: z.enum(['ready', 'running', 'in_doubt', 'replacing', 'succeeded', 'failed']),
    /** The digest of the approved call. */
    approved: z.string().optional(),
    allows: allowance.optional(),
    /**
     * The user refuses every call of this tool that the user did not order, for the rest of the run. With `tasks`, the
     * question expired: then only these calls are refused, which waited for the same answer.
     */
    refuses: z.object({ operation: z.string(), tasks: z.array(z.string()).optional() }).optional(),
    /** Its arguments, if the answer has changed them. */
    args: jsonObject.optional(),
    /** Which task now waits for which, because this task uses another resource now. */
    waits: z.array(z.object({ task: z.string(), for: z.string() })).optional(),
    /** The tasks that replace it. */
    tasks: z.array(task).optional(),
    /** The call of its service that was in doubt, and whether it took effect. */
    inner: z.object({ key: z.string(), took: z.enum(['effect', 'no_effect']) }).optional(),
    failure: failure.optional(),
  }),
  /** A note for a run in progress, from a person or passed on by a model. The next decision sees it. */
  fact('note_added', { text: z.string(), by: z.string().optional(), passedOnBy }),
  /** No new work starts until the run is continued. Running calls finish. */
  fact('run_paused', { reason: z.string().optional(), by: z.string().optional() }),
  fact('run_continued', { by: z.string().optional() }),
  /** The run needs more than is left of this limit, so no new work starts. */
  fact('limit_reached', {
    limit: z.enum(['tokens', 'cost']),
    /** What the call would use, with what is reserved for the closing answer. */
    needed: z.number(),
    left: z.number(),
    /** The closing answer can still be paid for. */
    reserved: z.literal(true).optional(),
  }),
  /** Raises limits. A run that was exhausted continues. */
  fact('budget_added', { ...amounts, by: z.string().optional() }),
  fact('cancel_requested', { reason: z.string(), by: z.string().optional(), passedOnBy }),
  fact('run_finished', {
    outcome,
    answer: z.string().optional(),
    /** Fits `run_started.output`, if the run was answered. */
    output: json.optional(),
    failure: failure.optional(),
    /** What was not done, if the outcome is not `answered`. */
    missing: z.array(z.string()).optional(),
    /** The same as codes, in the same order. */
    undone: z.array(z.object({ code: z.string(), params: jsonObject.optional() })).optional(),
    /** The limit that ended the run, if the outcome is `exhausted`. */
    limit: limit.optional(),
  }),
  /** A person's rating of a run that has ended. If there are several, the last one counts. */
  fact('run_rated', {
    rating: z.number().int().min(1).max(5),
    comment: z.string().optional(),
    by: z.string().optional(),
    /** The outcome of the run again, because a list of runs reads only the last event. */
    outcome,
  }),
]);
export type Fact = z.infer<typeof factSchema>;
export type FactType = Fact['type'];
export type FactOf<T extends FactType> = Extract<Fact, { type: T }>;

/** `at` is a number, so that the core can compute with it without a Date. */
export const envelopeSchema = z.object({
  v: z.literal([1, EVENT_VERSION]),
  run: z.string(),
  seq: z.number().int().positive(),
  at: z.number().describe('Milliseconds since 1970'),
});
export type Envelope = Readonly<z.infer<typeof envelopeSchema>>;
export type Event = Envelope & Fact;

/** Turns a fact into an event at a position in the journal of a run. */
export function eventOf({ type, data }: Fact, { run, seq, at }: Omit<Envelope, 'v'>): Event {
  return { v: EVENT_VERSION, run, seq, at, type, data } as Event;
}

/** Deltas for clients that watch a run. They are not facts: they decide nothing and are not replayed. */
export type Live =
  | {
      readonly type: 'task_progress';
      readonly run: string;
      readonly task: string;
      readonly message: string;
      readonly fraction?: number;
    }
  | { readonly type: 'answer_text'; readonly run: string; readonly text: string }
  | { readonly type: 'action_written'; readonly run: string; readonly action: Action };
