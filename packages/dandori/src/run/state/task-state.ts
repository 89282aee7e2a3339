import type { BlobHandle, FactOf } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Option } from '../../model/question.ts';
import type { Share } from '../../model/sub-goal.ts';
import type { Task } from '../../model/task.ts';
import type { Effect } from '../../model/tool.ts';
import { escaped } from '../../plan/fill-refs.ts';
import type { Asking } from './held-calls.ts';
import { createLinks, type Gate, type Links } from './indexes.ts';
import type { InnerCall } from './inner-calls.ts';
import type { Previewed } from './previews.ts';

/** A result in the journal or, if it is large, in a blob. */
export type Stored = { readonly value: Json } | { readonly blob: BlobHandle };

/** Why the outcome of the last lost attempt is unknown. */
type Doubt = Pick<FactOf<'task_in_doubt'>['data'], 'cause' | 'message'>;

/**
 * Where a task is now, with what is known only there.
 *
 * `pending` waits for other tasks, `ready` may start, `retrying` waits until it is due, `waiting` waits for a
 * person. `in_doubt` was called and its outcome is unknown. `blocked` cannot run because something that it
 * needs failed. `expanding` is a step whose tasks are known and have not all ended.
 */
export type Phase =
  /** `dueAt`: it is a retry, and must also wait until then. */
  | { readonly status: 'pending'; readonly dueAt?: number | undefined }
  | { readonly status: 'ready' | 'running' | 'expanding' | 'blocked' }
  | { readonly status: 'retrying'; readonly dueAt: number }
  | {
      readonly status: 'waiting';
      /** The questions that must be answered. Empty while its replacement is compiled. */
      questions: readonly string[];
      /** The tasks that a person chose instead of this one, until they are compiled. */
      replacement?: readonly Task[] | undefined;
      /** Present if the task was called and its outcome is unknown. */
      doubt?: Doubt | undefined;
    }
  /** `isProbed`: a probe of the call is running. */
  | { readonly status: 'in_doubt'; readonly doubt: Doubt | undefined; isProbed: boolean }
  | EndPhase;

/** `endedAt` is missing for a step. `note`: a remark about an unusual result. */
export type EndPhase =
  | {
      readonly status: 'succeeded';
      readonly result: Stored;
      readonly note?: string | undefined;
      readonly endedAt?: number | undefined;
    }
  | {
      readonly status: 'failed';
      readonly failure: Failure | undefined;
      readonly endedAt?: number | undefined;
    }
  | { readonly status: 'blocked' };

export type TaskStatus = Phase['status'];

/** Phases without data are shared, because most tasks only pass through them. */
export const PENDING: Phase = { status: 'pending' };
export const READY: Phase = { status: 'ready' };
export const RUNNING: Phase = { status: 'running' };
export const EXPANDING: Phase = { status: 'expanding' };
export const BLOCKED: EndPhase = { status: 'blocked' };

/**
 * A task of an accepted plan: what the plan says, where the task is now (`phase`), and what its attempts left
 * behind. The getters read the phase, so that a task cannot have a result without having succeeded.
 */
export class TaskState {
  readonly task: Task;
  readonly effect: Effect;
  readonly needs: readonly string[];
  /** Grows when an answer changes what a task touches. */
  readonly waits: string[];
  /** Shared groups of tasks that it waits for. */
  readonly gates: readonly Gate[];
  /** The server, which may have its own concurrency limit. */
  readonly lane: string;
  readonly rank: number;
  /** US dollars per call. */
  readonly cost: number;
  /** Its position in the written order. */
  readonly order: number;
  /** The question with which a person approved the plan that contains it. */
  readonly coveredBy: string | undefined;
  /** For a step: its tasks. For a replaced task: its replacements. */
  readonly children: string[] = [];
  /** Derived: only `indexes` writes it. */
  readonly links: Links = createLinks();
  /** Only `moveTo` replaces it, because the indexes depend on it. */
  phase: Phase = PENDING;
  /** That of the phase. A field, because it is read more often than everything else. */
  status: TaskStatus = PENDING.status;
  /** The result of the last probe. */
  probed: Pick<FactOf<'probe_ended'>['data'], 'attempt' | 'found' | 'message'> | undefined = undefined;
  /** The tool that probes the call, or that has returned its result. */
  probe: string | undefined = undefined;
  attempts = 0;
  /** Whether the user ordered it (`orders`). */
  isOrdered = true;
  /** Whether the run had read nothing of a stranger when it was decided, or the user wrote it. */
  isFromUser = true;
  /** Whether a permission ordered it: the mind copied its arguments from results, and no Ref says from which. */
  isPermitted = false;
  /** Attempts that were lost because the driver died. They do not count against the tool. */
  crashes = 0;
  /** How many of the last crashes in a row happened without progress in the task. */
  crashesWithoutProgress = 0;
  /** The calls of its service, by key. Contains only calls that a later attempt may rely on. */
  innerCalls: Map<string, InnerCall> | undefined = undefined;
  /** Idempotency key of its calls. It stays the same across attempts and in a fork of the run. */
  key: string | undefined = undefined;
  /** An attempt that may have changed something has ended. */
  mayHaveTouched = false;
  /** The arguments after a person's choice changed them. */
  override: JsonObject | undefined = undefined;
  /** The arguments of the last attempt, with Refs resolved. */
  sent: JsonObject | undefined = undefined;
  /** SHA-256 of the call that a person approved. */
  approved: string | undefined = undefined;
  /** The question that expired while the call waited for the same answer. */
  unanswered: string | undefined = undefined;
  /** The arguments of the preview in progress. */
  previewing: JsonObject | undefined = undefined;
  /** What the last preview said, and about which arguments. */
  previewed: Previewed | undefined = undefined;
  /** For a sub-goal: its run, and what it may use. */
  share: Share | undefined = undefined;
  /** What its last call asked for. */
  asking: Asking | undefined = undefined;
  /** How many of its calls ended because the server needs input first. */
  rounds = 0;
  /** How the last attempt failed, until one succeeds. */
  lastFailure: Failure | undefined = undefined;
  /** Start of the last attempt. */
  startedAt: number | undefined = undefined;
  /** Milliseconds of all attempts together, without the waits between them and for a person. */
  ms: number | undefined = undefined;
  /** A revision has replaced or removed the task, so its outcome no longer matters. */
  isSuperseded = false;
  /** Its `children` replace it, and it ends when they end. */
  isReplaced = false;
  /** Its last call was told to stop but continued. */
  isUnstopped = false;

  constructor(accepted: Accepted) {
    this.task = accepted.task;
    this.effect = accepted.effect;
    this.needs = accepted.needs;
    this.waits = accepted.waits;
    this.gates = accepted.gates;
    this.lane = accepted.lane;
    this.rank = accepted.rank;
    this.cost = accepted.cost;
    this.order = accepted.order;
    this.coveredBy = accepted.coveredBy;
  }

  get result(): Stored | undefined {
    return this.phase.status === 'succeeded' ? this.phase.result : undefined;
  }

  get note(): string | undefined {
    return this.phase.status === 'succeeded' ? this.phase.note : undefined;
  }

  /** Why it failed or, before it has ended, why its last attempt failed. */
  get failure(): Failure | undefined {
    if (this.phase.status === 'succeeded') return undefined;
    return this.phase.status === 'failed' ? this.phase.failure : this.lastFailure;
  }

  get endedAt(): number | undefined {
    return 'endedAt' in this.phase ? this.phase.endedAt : undefined;
  }

  /** When it is retried. */
  get dueAt(): number | undefined {
    return 'dueAt' in this.phase ? this.phase.dueAt : undefined;
  }

  /** The questions that must be answered before it continues. */
  get waitsFor(): readonly string[] {
    return this.phase.status === 'waiting' ? this.phase.questions : [];
  }

  get replacement(): readonly Task[] | undefined {
    return this.phase.status === 'waiting' ? this.phase.replacement : undefined;
  }

  get doubt(): Doubt | undefined {
    return 'doubt' in this.phase ? this.phase.doubt : undefined;
  }

  /** The task was called and its outcome is unknown. Stays true while a person is asked about it. */
  get isInDoubt(): boolean {
    return this.phase.status === 'in_doubt' || this.doubt !== undefined;
  }
}

/** What the plan says about a task. */
type Accepted = Pick<
  TaskState,
  'task' | 'effect' | 'needs' | 'waits' | 'gates' | 'lane' | 'rank' | 'cost' | 'order' | 'coveredBy'
>;

export function hasEnded(status: TaskStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'blocked';
}

/**
 * The arguments of a task after a choice changed them. A tool or a person wrote the choice, so its text is
 * never treated as a Ref.
 */
export function withChoice({ override, task }: TaskState, { args }: Pick<Option, 'args'>): JsonObject {
  return { ...(override ?? task.args), ...(args && (escaped(args) as JsonObject)) };
}
