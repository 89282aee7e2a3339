import { messageOf } from '../../model/error.ts';
import { toFailure, toMessage, type Word } from '../../model/failure.ts';
import type { Sealing } from '../../model/redact.ts';
import { Stop } from '../../model/stop.ts';
import type { InputResponse } from '../../run/state/held-calls.ts';
import type { Call, CallOutcome, InputRequest, MadeInside } from '../../tools/index.ts';
import type { Mail, Mailbox } from '../mailbox.ts';
import type { Parts } from '../parts.ts';
import { createTimeLimit, pause, type TimeLimit, unlessStopped, untilEnded } from './call-time.ts';
import { brokenCall, normalOutcome, normalRequest } from './normal-values.ts';

export interface PlannedCall extends Omit<Call, 'signal' | 'run' | 'progress' | 'elicit' | 'inner' | 'seal'> {
  /** Whether the calls that the service makes are journaled. A read changes nothing, so its calls are not. */
  readonly isFollowed?: boolean;
  /** It has no effect and costs nothing, so it may be made before its start is durable. */
  readonly isFree?: boolean;
  /** A probe or a preview of the call, not the call itself. It must not ask the user. */
  readonly instead?: 'probe' | 'preview';
  /** Milliseconds to wait before the call. */
  readonly delay?: number;
  readonly attempt: number;
  readonly timeoutMs: number;
  readonly word: Word;
}

/** How a call ended and how long it took. */
export interface EndedCall {
  readonly outcome: CallOutcome;
  readonly ms: number;
}

/** A call in progress. */
export interface OpenCall {
  /** Never rejects. */
  readonly ended: Promise<EndedCall>;
  /** How it ended. Undefined while it runs. */
  readonly how: EndedCall | undefined;
  /** Call this when a task takes over the call. From then on it may ask the user and report progress. */
  taken(): void;
  /** Ends the call when its time is up. Without this, it may take any time. */
  limitTime(): void;
  abort(reason: string): void;
}

/** What the calls of a drive share. */
export interface CallContext {
  readonly run: string;
  readonly parts: Parts;
  readonly seal: Sealing['seal'];
  readonly mailbox: Pick<Mailbox, 'post'>;
  /** Everything that runs, so that it can be stopped. */
  readonly open: Map<Stop, Promise<unknown>>;
}

/**
 * `ahead`: it belongs to no task, or its task has not started. `planned`: the start of its task is not durable yet, so it
 * reports progress and does not ask the user. `task`: its task has started.
 */
export type Stage = 'ahead' | 'planned' | 'task';

/** Makes a call as soon as it is created. */
export class RunningCall implements OpenCall {
  readonly ended: Promise<EndedCall>;
  how: EndedCall | undefined;
  readonly #call: PlannedCall;
  readonly #context: CallContext;
  readonly #stop = new Stop();
  #stage: Stage;
  #isLimited = false;
  #limit: TimeLimit | undefined;
  /** What it asks before a task takes it over. */
  #asked: Mail[] = [];

  constructor(call: PlannedCall, stage: Stage, context: CallContext) {
    this.#call = call;
    this.#stage = stage;
    this.#context = context;
    const { delay = 0 } = call;
    const waiting = { stop: this.#stop, clock: context.parts.clock };
    this.ended = delay > 0 ? pause(delay, waiting).then(() => this.#make()) : this.#make();
    context.open.set(this.#stop, this.ended);
  }

  taken(): void {
    this.#stage = 'task';
    for (const mail of this.#asked) this.#context.mailbox.post(mail);
    this.#asked = [];
  }

  limitTime(): void {
    this.#isLimited = true;
    this.#limit?.start();
  }

  abort(reason: string): void {
    this.#stop.stop(reason);
  }

  #make(): Promise<EndedCall> {
    const { word, timeoutMs } = this.#call;
    const { parts } = this.#context;
    const { clock } = parts;
    const stop = this.#stop;
    const limit = createTimeLimit(clock, timeoutMs, () => stop.stop('timeout'));
    this.#limit = limit;
    if (this.#isLimited) limit.start();
    return untilEnded(() => parts.toolbox.call(this.#sent(limit)), {
      stop,
      clock,
      broken: (reason) => brokenCall(reason, word),
      otherwise: () => unstopped(word),
      end: (made) => this.#end(made, limit),
    });
  }

  #end(made: CallOutcome, limit: TimeLimit): EndedCall {
    const { word, timeoutMs } = this.#call;
    const outcome = normalOutcome(made, word);
    limit.stop();
    this.#context.open.delete(this.#stop);
    const isLate = isTimeUp(outcome, this.#stop);
    this.how = { outcome: isLate ? timedOut(outcome, timeoutMs, word) : outcome, ms: limit.spent() };
    return this.how;
  }

  /** Written out, because a rest, spreads and a getter would take as long as a short call. */
  #sent(limit: TimeLimit): Call {
    const { operation, args, key, task, userId, language, inputs, preview, isClean } = this.#call;
    const { instead, isFollowed } = this.#call;
    const { run, parts, seal } = this.#context;
    const stop = this.#stop;
    return {
      operation,
      args,
      key,
      run,
      task,
      userId,
      language,
      stop,
      signal: stop.signal,
      progress: (message, fraction) => {
        if (this.#stage === 'ahead') return;
        parts.onLive?.({ type: 'task_progress', run, task, message, fraction });
      },
      inputs,
      elicit: instead === undefined ? (asked) => this.#elicit(asked, limit) : undefined,
      inner: isFollowed === true ? (made, make) => this.#inner(made, make) : undefined,
      preview,
      isClean,
      seal,
    };
  }

  /** Asks the user in the name of the call. Until the answer, its time does not count. */
  #elicit(asked: InputRequest, limit: TimeLimit): Promise<InputResponse> {
    const { task, attempt } = this.#call;
    const request = normalRequest(asked);
    if (request === undefined) return Promise.resolve({ action: 'cancel' });
    return new Promise((resolve) => {
      limit.pause();
      const reply = (response: InputResponse) => {
        if (!this.#stop.isStopped) limit.resume();
        resolve(response);
      };
      const mail: Mail = { type: 'input_asked', task, attempt, request, reply };
      if (this.#stage === 'task') this.#context.mailbox.post(mail);
      else this.#asked.push(mail);
    });
  }

  /** Makes a call of another tool that the service makes, so that it is journaled before and after. */
  async #inner(made: MadeInside, make: () => Promise<CallOutcome>): Promise<CallOutcome> {
    const { task, attempt, word } = this.#call;
    const { parts, mailbox } = this.#context;
    const { clock } = parts;
    const stop = this.#stop;
    const of = { task, attempt, call: made };
    const stopped = notCalled(made.operation, word);
    if (stop.isStopped) return stopped;
    const answer = await unlessStopped<'make' | CallOutcome>(stop, stopped, (reply) =>
      mailbox.post({ type: 'inner_call_asked', ...of, reply }),
    );
    const startedAt = clock.now();
    const broken = (reason: string) => brokenCall(reason, word);
    const outcome = answer === 'make' ? normalOutcome(await safely(make, broken), word) : answer;
    // The driver may have allowed the call just before the stop. Then the journal must say that it was not
    // made.
    if (answer !== 'make' && answer !== stopped) return answer;
    const ms = clock.now() - startedAt;
    return unlessStopped(stop, outcome, (reply) =>
      mailbox.post({ type: 'inner_call_ended', ...of, outcome, ms, reply }),
    );
  }
}

/** `ended`: its outcome can be journaled together with its start. `lost`: it ended in another way. */
export type CallState = 'running' | 'ended' | 'lost';

export function stateOf({ how }: OpenCall): CallState {
  if (how === undefined) return 'running';
  const { kind } = how.outcome;
  return kind === 'succeeded' || kind === 'failed' ? 'ended' : 'lost';
}

/** The toolbox promises not to throw. A bug there must not end the run or the process. */
async function safely<T>(work: () => Promise<T>, otherwise: (message: string) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return otherwise(messageOf(error));
  }
}

function unstopped(word: Word): CallOutcome {
  const message = toMessage({ code: 'did_not_stop' }, word);
  return { kind: 'lost', cause: 'cancelled', ...message, unstopped: true };
}

function notCalled(operation: string, word: Word): CallOutcome {
  const cause = { kind: 'cancelled', code: 'not_called', params: { operation } } as const;
  return { kind: 'failed', failure: toFailure(cause, word) };
}

/** A tool sees only an aborted signal. The reason tells the driver whether it was a timeout. */
function isTimeUp({ kind }: CallOutcome, { reason }: Stop): boolean {
  const hasAnswered = kind === 'succeeded' || kind === 'ambiguous' || kind === 'input_wanted';
  return reason === 'timeout' && !hasAnswered;
}

function timedOut(outcome: CallOutcome, timeoutMs: number, word: Word): CallOutcome {
  const message = toMessage({ code: 'too_slow', params: { seconds: timeoutMs / 1000 } }, word);
  if (outcome.kind !== 'failed' || outcome.usage === undefined)
    return { kind: 'lost', cause: 'timeout', ...message };
  // What a sub-goal has used counts, although it is out of time.
  const { retryable = true } = outcome.failure;
  return { ...outcome, failure: { ...message, kind: 'timeout', retryable } };
}
