import type { Brief, Offer, Reflection, Usage } from '../../model/decision.ts';
import type { BlobHandle, Envelope, FactOf, Purpose } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Access, Diagnostic, Estimate, Outline, Revision } from '../../model/plan.ts';
import type { Question } from '../../model/question.ts';
import type { Settings } from '../../model/settings.ts';
import type { Action, Task } from '../../model/task.ts';
import type { Effect } from '../../model/tool.ts';
import { type Queued, ReadyQueue } from '../../plan/ready-queue.ts';
import type { Offered } from './decisions.ts';
import type { InnerCall } from './inner-calls.ts';

/**
 * `pending` waits for other tasks, `ready` may start, `retrying` waits for its time, `waiting` for a person,
 * `in_doubt` was called and nobody knows how it ended, `blocked` cannot run because something it needs failed.
 * `expanding` is a step whose tasks are known and have not all ended.
 */
export type TaskStatus =
  | 'pending'
  | 'ready'
  | 'running'
  | 'retrying'
  | 'waiting'
  | 'in_doubt'
  | 'expanding'
  | 'succeeded'
  | 'failed'
  | 'blocked';

/** A result in the journal or, where it is large, in a blob. */
export type Stored = { readonly value: Json } | { readonly blob: BlobHandle };

export interface TaskState {
  readonly task: Task;
  readonly effect: Effect;
  readonly needs: readonly string[];
  /** More may come when an answer changes what a task touches. */
  readonly waits: string[];
  /** Where it waits for many that others wait for too. */
  readonly gates: readonly Gate[];
  /** Gates that its end helps to open. */
  readonly opens: Gate[];
  /** How many of `needs`, `waits` and `gates` have not come true yet. */
  unmet: number;
  /** The server; it may have a limit of its own. */
  readonly lane: string;
  readonly rank: number;
  /** US dollars a call. */
  readonly cost: number;
  /** Its place in the written order. */
  readonly order: number;
  /** Tasks to tell when this one ends. */
  readonly dependents: string[];
  status: TaskStatus;
  /** Where it stands among those that are ready or wait for their time. */
  queued: Queued<TaskState> | undefined;
  /** It was called, and nobody has said yet whether it took effect; true also while a person is asked. */
  isInDoubt: boolean;
  /** Why nobody knows, of the last attempt that was lost. */
  doubt: Pick<FactOf<'task_in_doubt'>['data'], 'cause' | 'message'> | undefined;
  attempts: number;
  /** Attempts that were lost because the driver died. They are not the tool's. */
  crashes: number;
  /** Of them those in a row in which the task got no further. */
  crashesInVain: number;
  /** What its service called, by key, as far as a later attempt may rely on it. */
  innerCalls: Map<string, InnerCall> | undefined;
  /** What its calls are recognised by; kept across attempts, and by a fork of the run. */
  key: string | undefined;
  /** What a look for the call in doubt has found. */
  probed: Pick<FactOf<'probe_ended'>['data'], 'attempt' | 'found' | 'message'> | undefined;
  /** An attempt has ended of which nobody says that nothing was done. */
  mayHaveTouched: boolean;
  /** What a person's choice changed in the arguments. */
  override: JsonObject | undefined;
  /** The arguments of the last attempt, with Refs filled. */
  sent: JsonObject | undefined;
  /** SHA-256 of the call that a person approved. */
  approved: string | undefined;
  /** What its last call that wanted input asked for. */
  asking: Asking | undefined;
  /** How many of its calls have ended because the server wants input first. */
  rounds: number;
  /** The question by which a person approved the plan that it is written in. */
  readonly coveredBy: string | undefined;
  result: Stored | undefined;
  /** What is odd about the result. */
  note: string | undefined;
  failure: Failure | undefined;
  /** Of the last attempt. */
  startedAt: number | undefined;
  /** Milliseconds of all attempts together; waiting between them and for a person is left out. */
  ms: number | undefined;
  endedAt: number | undefined;
  /** When to try again. */
  dueAt: number | undefined;
  /** Of a step: its tasks, and how many of them have not ended. */
  readonly children: string[];
  open: number;
  /** A revision has put others in its place; what became of it is no matter any more. */
  isSuperseded: boolean;
  /** What a person chose to have done in place of it, until that is compiled. */
  replacement: readonly Task[] | undefined;
  /** Others stand for it, as `children`: it ends as they do. */
  isReplaced: boolean;
  /** Its call was told to stop and went on. */
  isUnstopped: boolean;
}

/**
 * `ended`: the server said that it wants input first. `held`: the call is open until it is answered. `ending`: it was
 * held for long enough, and the server is told that nobody answers. `lost`: the call is gone, and the answer is not.
 */
interface Asking {
  readonly attempt: number;
  readonly questions: string[];
  call: 'ended' | 'held' | 'ending' | 'lost';
  readonly since: number;
}

/** A task at the moment at which it ended. */
interface TaskEnd {
  readonly seq: number;
  readonly task: TaskState;
}

/** Opens when the last of its members has ended, so that n who wait for the same m cost n + m and not n × m. */
export interface Gate {
  readonly members: readonly string[];
  closed: number;
  readonly dependents: string[];
}

/** A proposed plan, or a proposed change of one. */
export interface Draft {
  readonly version: number;
  readonly by: 'mind' | 'user' | 'repair';
  readonly tasks: readonly Task[];
  readonly outline?: Outline | undefined;
  /** Tasks that were never begun and that this stands for. */
  readonly removes?: readonly string[] | undefined;
  readonly revision?:
    | Pick<FactOf<'plan_revised'>['data'], 'reason' | 'changes' | 'supersedes' | 'replaces'>
    | undefined;
  /** What a person was asked about it. */
  readonly question?: string | undefined;
  /** Why a person did not approve it; empty where they did not say. */
  readonly veto?: string | undefined;
}

interface Thinking {
  readonly decision: number;
  readonly purpose: Purpose;
  readonly brief: Brief | undefined;
  readonly offer: Offer | undefined;
  readonly startedSeq: number;
}

/** One turn of the mind, kept for the prompt and for people. */
export interface Decision {
  readonly number: number;
  readonly purpose: Purpose;
  readonly brief: Brief | undefined;
  /** What had happened up to this event was known when it was made. */
  readonly startedSeq: number;
  reasoning: string | undefined;
  operations: readonly Action[];
  /** Tasks proposed by this decision, in written order. */
  proposed: readonly Task[];
  diagnostics: readonly Diagnostic[] | undefined;
  failure: Failure | undefined;
  /** Why a person did not approve what was proposed; empty where they did not say. */
  veto?: string | undefined;
  /** Calls that have succeeded and that were proposed again. */
  repeats?: FactOf<'plan_rejected'>['data']['repeats'];
  /** A person has changed what was proposed; `proposed` is what came of it. */
  isEdited?: boolean;
  /** Tools that it was told of. */
  offer?: Offer | undefined;
  /** The model that is asked in place of the one that failed, from here on. */
  next?: string | undefined;
}

export interface OpenQuestion {
  readonly question: Question;
  readonly askedAt: number;
  /** The attempt that asked. */
  readonly attempt?: number | undefined;
  /** Whether a call is held open for it. */
  readonly isHeld: boolean;
  /** How the server wants the answer. */
  readonly input?: FactOf<'question_asked'>['data']['input'];
  answer: Given | undefined;
  /** Where it stands among those that expire. */
  queued: Queued<OpenQuestion> | undefined;
}

/** What became of a question. */
export interface Given {
  readonly value: Json;
  readonly at: number;
  readonly declined?: boolean;
  readonly comment?: string;
  readonly by?: string;
  /** Nobody answered in time. */
  readonly isExpired?: boolean;
}

export interface RunState {
  run: string;
  seq: number;
  goal: string;
  mind: string;
  userId: string | undefined;
  settings: Settings;
  planGiven: boolean;
  /** The run whose past this one shares, and up to where. */
  forkedFrom: FactOf<'run_started'>['data']['forkedFrom'];
  conversation: string | undefined;
  /** What the mind is told of the conversation. */
  context: string | undefined;
  /** Whether its mind may cancel another run unasked, before a tool has spoken. */
  mayCancel: boolean | undefined;
  /** Secrets stand in it as marks. False for a run of version 0.1, where `[secret]` is all that is left of them. */
  isSealed: boolean;
  /** The plan that the user gave, as it was given. */
  given: readonly Task[];
  startedAt: number;
  /** Whether a driver has written yet. */
  isTakenUp: boolean;
  /** Time of the last fact that a driver wrote; of the start before that. */
  lastAt: number;
  /** Milliseconds during which somebody drove the run. */
  activeMs: number;
  planVersion: number;
  /** What the plan will take, where a person will be asked about it. */
  estimate: Estimate | undefined;
  /** What the tasks of the plan touch, in the order that is kept; only where arguments decide on it. */
  accesses: readonly Access[];
  /** A proposed plan that has not been accepted: it is to be compiled, or a person is asked about it. */
  draft: Draft | undefined;
  /** The last one that was refused, until another is accepted. */
  refused: Draft | undefined;
  /** The tasks of the last one that a person did not approve, until another is accepted. */
  vetoed: readonly Task[];
  /** What the mind took the goal to be, as of its last plan that said so. */
  outline: Outline | undefined;
  /** Of accepted plans. */
  readonly revisions: (Revision & {
    readonly version: number;
    readonly by: Draft['by'];
    readonly at: number;
  })[];
  readonly reflections: (Reflection & { readonly decision: number; readonly at: number })[];
  /** Tasks that have ended, and of them failed, since the mind last looked back. */
  sinceReflection: { ended: number; failed: number };
  /** In written order. */
  readonly tasks: Map<string, TaskState>;
  /** How many tasks were ever accepted. */
  written: number;
  stepCount: number;
  /** Steps of a run of a conversation that have ended, and of which the user has not been told. */
  readonly unreported: Set<string>;
  /** In the order in which they ended. */
  readonly ends: TaskEnd[];
  readonly ready: ReadyQueue<TaskState>;
  /** Steps whose tasks are wanted now. */
  readonly stepsReady: Set<string>;
  readonly running: Set<string>;
  /** Tasks whose call is held open while a person is asked; they are `waiting`. */
  readonly held: Set<string>;
  /** How many of them run in each lane. */
  readonly runningIn: Map<string, number>;
  /** What is due first comes first. */
  readonly retrying: ReadyQueue<TaskState>;
  readonly inDoubt: Set<string>;
  /** Those of them that are being looked for. */
  readonly probing: Set<string>;
  readonly decisions: Decision[];
  /** The decision that the mind is working on. */
  thinking: Thinking | undefined;
  /** Tools that the mind has been told of; undefined before its first decision, and in old journals. */
  offered: Offered | undefined;
  /** Not before this time may the mind be asked again. */
  thinkAfter: number;
  /** Failed decisions and rejected plans since the last plan that was accepted or question that was asked. */
  stumbles: number;
  /** What was wrong with the last plan that was rejected. */
  rejection: readonly Diagnostic[] | undefined;
  /** The decision that was told that the run goes in circles, by a version that told it once a run. */
  loopTold: number | undefined;
  /** The last event by which a person said something to the mind or raised the limits; 0 before that. */
  lastWord: number;
  /** A limit that what comes next would break. */
  limitReached: 'tokens' | 'cost' | undefined;
  /** The limits were raised after the end, and the mind has not decided since. */
  isContinued: boolean;
  calls: number;
  /** Calls of the model that were lost because the driver died, and not counted for that. */
  lostCalls: number;
  steps: number;
  readonly usage: Usage;
  readonly questions: Map<string, OpenQuestion>;
  openQuestions: number;
  /** Of them those that no task asked: the whole run waits. */
  runQuestions: number;
  /** What expires first comes first. */
  readonly expiring: ReadyQueue<OpenQuestion>;
  /** Tasks that a person's choice replaces, until that is compiled. */
  readonly replacing: Set<string>;
  /** What people said to the run while it was under way, and what models of other runs passed on. */
  readonly notes: (FactOf<'note_added'>['data'] & { readonly seq: number; readonly at: number })[];
  /** Who wants it to stand still. */
  paused: FactOf<'run_paused'>['data'] | undefined;
  cancel: FactOf<'cancel_requested'>['data'] | undefined;
  end: (FactOf<'run_finished'>['data'] & { readonly at: number }) | undefined;
  /** What a person thinks of it. */
  rating: FactOf<'run_rated'>['data'] | undefined;
}

export function hasEnded(status: TaskStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'blocked';
}

export function lastDecision(state: RunState): Decision | undefined {
  return state.decisions.at(-1);
}

/** Whether something is under way that will end by itself. */
export function isAlive(state: RunState): boolean {
  return state.held.size > 0 || isAtWork(state);
}

/** Whether it does not only wait for a person. */
export function isAtWork({ running, probing, thinking }: RunState): boolean {
  return running.size > 0 || probing.size > 0 || thinking !== undefined;
}

export function initial({ run, seq, at, data }: Envelope & FactOf<'run_started'>): RunState {
  return {
    run,
    seq,
    goal: data.goal,
    mind: data.mind,
    userId: data.userId,
    settings: data.settings,
    planGiven: data.planGiven ?? false,
    forkedFrom: data.forkedFrom,
    conversation: data.conversation,
    context: data.context,
    mayCancel: data.mayCancel,
    isSealed: data.sealed === true,
    given: [],
    startedAt: at,
    isTakenUp: false,
    lastAt: at,
    activeMs: 0,
    planVersion: 0,
    draft: undefined,
    estimate: undefined,
    accesses: [],
    refused: undefined,
    vetoed: [],
    outline: undefined,
    revisions: [],
    reflections: [],
    sinceReflection: { ended: 0, failed: 0 },
    tasks: new Map(),
    written: 0,
    stepCount: 0,
    unreported: new Set(),
    ends: [],
    ready: new ReadyQueue(),
    stepsReady: new Set(),
    running: new Set(),
    held: new Set(),
    runningIn: new Map(),
    retrying: new ReadyQueue(),
    inDoubt: new Set(),
    probing: new Set(),
    decisions: [],
    thinking: undefined,
    offered: undefined,
    thinkAfter: 0,
    stumbles: 0,
    rejection: undefined,
    loopTold: undefined,
    lastWord: 0,
    limitReached: undefined,
    isContinued: false,
    calls: 0,
    lostCalls: 0,
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    questions: new Map(),
    openQuestions: 0,
    runQuestions: 0,
    expiring: new ReadyQueue(),
    replacing: new Set(),
    notes: [],
    paused: undefined,
    cancel: undefined,
    end: undefined,
    rating: undefined,
  };
}

/**
 * All of a state as one text, so that two can be compared. Queues are told by the tasks that stand in them, in the order
 * in which they would be taken: how a heap lies in memory is no matter.
 */
export function snapshot(state: RunState): string {
  return JSON.stringify(state, (key, value: unknown) => {
    if (key === 'ready' || key === 'retrying') return queued(state[key]);
    // It holds the task itself.
    if (key === 'queued') return value !== undefined;
    if (value instanceof Map || value instanceof Set) return [...value];
    // Not as the text of the same digits would be.
    if (typeof value === 'bigint') return { integer: String(value) };
    return value;
  });
}

function queued(queue: RunState['ready']): string[] {
  return [...queue.inOrder(() => true)].map(({ item }: { item: TaskState }) => item.task.id);
}
