import type { Thinking, Thought } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import { messageOf } from '../model/error.ts';
import { type Failure, toFailure, toMessage, type Word } from '../model/failure.ts';
import type { Action } from '../model/task.ts';
import type { InputResponse } from '../run/state/held-calls.ts';
import { sealingOf } from '../secrets/index.ts';
import { type Call, type CallOutcome, type InputRequest, LEFT, type MadeInside } from '../tools/index.ts';
import { wordFor } from '../views/texts/said.ts';
import {
  createStop,
  createTimeLimit,
  pause,
  type Stop,
  type TimeLimit,
  unlessStopped,
  withGrace,
} from './call-time.ts';
import type { Mail, Mailbox } from './mailbox.ts';
import { brokenCall, normalAction, normalOutcome, normalRequest, normalThinking } from './normal-values.ts';
import type { Parts } from './parts.ts';
import type { ReadAhead } from './prefetch.ts';

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
  /** Call this when a task takes over the call. From then on it may ask the user. */
  taken(): void;
  abort(reason: string): void;
}

/**
 * Running tool calls and the running decision. Each ends with exactly one mail.
 *
 * C1  `release` makes planned calls after the commit. A decision has no effect except its cost, so it may
 *     start while the disk still writes. A read has no effect either, so it is made at once.
 * C2  Every call has its own signal. The call's timeout, the run's cancel and the end of the drive abort it.
 * C3  A call that does not stop within the grace period counts as lost, and its late outcome is ignored.
 */
export interface Calls {
  plan(call: PlannedCall): void;
  planThought(decision: number, thought: Omit<Thought, 'signal'>): void;
  /** Whether planned calls wait for the next commit. */
  isAnyPlanned(): boolean;
  thinkNow(): void;
  /**
   * Makes the planned reads. Returns their outcomes if all planned calls are reads and end in this turn of the event
   * loop. Then starts and outcomes are one write. Otherwise returns an empty list.
   */
  takeEnded(ahead: Pick<ReadAhead, 'stateOf' | 'take' | 'settle'>): Promise<Mail[]>;
  /** Makes the planned calls, except prefetched ones. */
  release(ahead: Pick<ReadAhead, 'take' | 'settle'>): void;
  /** Prefetch: makes a call at once. It is reported only when its task starts. */
  begin(call: PlannedCall, isTask: () => boolean): OpenCall;
  /** The commit failed, so the planned calls must not be made. */
  forgetPlanned(): void;
  abort(reason: string): void;
  stopAll(): Promise<void>;
}

export function createCalls(run: string, parts: Parts, mailbox: Mailbox): Calls {
  const { clock } = parts;
  let planned: PlannedCall[] = [];
  let thought: { decision: number; about: Omit<Thought, 'signal'> } | undefined;
  let thinking: OpenThought | undefined;
  const open = new Map<Stop, Promise<unknown>>();
  /** Whether a commit has shown that this driver knows the whole journal. Before that, it makes no call. */
  let isCurrent = false;
  /** Planned reads that have been made already. */
  const early = new Map<PlannedCall, EarlyCall>();

  function begin(call: PlannedCall, isTask: () => boolean): OpenCall {
    const stop = createStop();
    let asked: Mail[] | undefined = isTask() ? undefined : [];
    const ask = (mail: Mail) => (asked === undefined ? mailbox.post(mail) : void asked.push(mail));
    const ended = make(call, stop, { isTask, ask });
    open.set(stop, ended);
    return {
      ended,
      taken() {
        for (const mail of asked ?? []) mailbox.post(mail);
        asked = undefined;
      },
      abort: (reason) => stop.stop(reason),
    };
  }

  function beginEarly(call: PlannedCall): void {
    const now: Pick<EarlyCall, 'ended' | 'isTask'> = { ended: undefined, isTask: false };
    const made = Object.assign(now, { open: begin(call, () => now.isTask) });
    early.set(call, made);
    void made.open.ended.then((ended) => {
      made.ended = ended;
    });
  }

  function stateOf(call: PlannedCall, ahead: Pick<ReadAhead, 'stateOf'>): ReturnType<ReadAhead['stateOf']> {
    const made = early.get(call);
    if (made === undefined) return call.instead === undefined ? ahead.stateOf(call) : 'none';
    if (made.ended === undefined) return 'running';
    return hasAnswer(made.ended) ? 'ended' : 'lost';
  }

  /** The call, if it was made before its start was written. */
  function takeEarly(call: PlannedCall, ahead: Pick<ReadAhead, 'take'>): OpenCall | undefined {
    const made = early.get(call);
    early.delete(call);
    const prefetched = call.instead === undefined ? ahead.take(call) : undefined;
    if (made !== undefined) made.isTask = true;
    const taken = made?.open ?? prefetched;
    taken?.taken();
    return taken;
  }

  async function make(
    { word, instead, isFollowed = false, delay = 0, ...call }: PlannedCall,
    stop: Stop,
    { isTask, ask }: { isTask: () => boolean; ask: (mail: Mail) => void },
  ): Promise<EndedCall> {
    if (delay > 0) await pause(delay, { stop, clock });
    const limit = createTimeLimit(clock, call.timeoutMs, () => stop.stop('timeout'));
    const { task, attempt } = call;
    const running: RunningCall = { task, attempt, stop, limit, word, clock, mailbox };
    const progress = (message: string, fraction?: number) => {
      if (isTask()) parts.onLive?.({ type: 'task_progress', run, task, message, fraction });
    };
    const made = safely(
      () =>
        parts.toolbox.call({
          ...call,
          run,
          get signal() {
            return stop.signal;
          },
          progress,
          ...(instead === undefined && { elicit: elicitFor(running, ask) }),
          ...(isFollowed && { inner: innerFor(running) }),
          seal: sealingOf(parts).seal,
        }),
      (reason) => brokenCall(reason, word),
    );
    const otherwise = (): CallOutcome => ({
      kind: 'lost',
      cause: 'cancelled',
      ...toMessage({ code: 'did_not_stop' }, word),
      unstopped: true,
    });
    const outcome = normalOutcome(await withGrace(made, { stop, clock, otherwise }), word);
    limit.stop();
    open.delete(stop);
    const ms = limit.spent();
    if (!isTimeUp(outcome, stop)) return { outcome, ms };
    const message = toMessage({ code: 'too_slow', params: { seconds: call.timeoutMs / 1000 } }, word);
    // What a sub-goal has used counts, although it is out of time.
    if (outcome.kind === 'failed' && outcome.usage !== undefined) {
      const { retryable = true } = outcome.failure;
      const failure: Failure = { ...message, kind: 'timeout', retryable };
      return { outcome: { ...outcome, failure }, ms };
    }
    return { outcome: { kind: 'lost', cause: 'timeout', ...message }, ms };
  }

  async function think(
    decision: number,
    about: Omit<Thought, 'signal'>,
    current: OpenThought,
  ): Promise<void> {
    const startedAt = clock.now();
    const { stop } = current;
    const word = wordFor(about.state);
    const onAction = about.onAction && ((action: Action) => about.onAction?.(normalAction(action)));
    const otherwise = (): Thinking => ({
      kind: 'failed',
      failure: toFailure({ kind: 'cancelled', code: 'mind_stopped' }, word),
    });
    const result = await withGrace(
      safely(
        async () => normalThinking(await parts.mind.think({ ...about, onAction, signal: stop.signal })),
        (reason) => brokenThought(reason, word),
      ),
      { stop, clock, otherwise },
    );
    open.delete(stop);
    current.ended = { type: 'thought_ended', decision, thinking: result, ms: clock.now() - startedAt };
    reportThought();
  }

  /** A thought that ends before its start is durable waits: the commit may still fail, and then it is dropped. */
  function reportThought(): void {
    if (thinking?.ended === undefined || !thinking.isWritten) return;
    mailbox.post(thinking.ended);
    thinking = undefined;
  }

  return {
    plan: (call) => void planned.push(call),
    planThought(decision, about) {
      thought = { decision, about };
    },
    isAnyPlanned: () => planned.length > 0 || thought !== undefined,
    thinkNow() {
      if (thought === undefined) return;
      thinking = { stop: createStop(), isWritten: false, ended: undefined };
      open.set(thinking.stop, think(thought.decision, thought.about, thinking));
      thought = undefined;
    },
    async takeEnded(ahead) {
      let isAnyRunning = false;
      let isAnyOther = planned.length === 0;
      for (const call of planned) {
        let now = stateOf(call, ahead);
        if (now === 'none' && isCurrent && call.isFree === true) {
          beginEarly(call);
          now = 'running';
        }
        if (now === 'running') isAnyRunning = true;
        else if (now !== 'ended') isAnyOther = true;
      }
      if (isAnyOther) return [];
      if (isAnyRunning) {
        await new Promise((resolve) => setImmediate(resolve));
        if (planned.some((call) => stateOf(call, ahead) !== 'ended')) return [];
      }
      const taken = planned.flatMap((call) => {
        const begun = takeEarly(call, ahead);
        return begun === undefined ? [] : [{ call, begun }];
      });
      planned = [];
      ahead.settle();
      return Promise.all(
        taken.map(
          async ({ call: { task, attempt }, begun }): Promise<Mail> => ({
            type: 'call_ended',
            task,
            attempt,
            ...(await begun.ended),
          }),
        ),
      );
    },
    begin,
    release(ahead) {
      isCurrent = true;
      const due = planned.map((call) => ({ call, begun: takeEarly(call, ahead) }));
      planned = [];
      ahead.settle();
      for (const { call, begun } of due) {
        const { task, attempt, instead = 'call' } = call;
        const type = `${instead}_ended` as const;
        const { ended } = begun ?? begin(call, () => instead === 'call');
        void ended.then((how) => mailbox.post({ type, task, attempt, ...how }));
      }
      if (thinking === undefined) return;
      thinking.isWritten = true;
      reportThought();
    },
    forgetPlanned() {
      planned = [];
      for (const made of early.values()) made.open.abort('forgotten');
      early.clear();
      if (thinking === undefined || thinking.isWritten) return;
      thinking.stop.stop('forgotten');
      thinking = undefined;
    },
    abort(reason) {
      for (const stop of open.keys()) stop.stop(reason);
    },
    async stopAll() {
      for (const stop of open.keys()) stop.stop(LEFT.stopped);
      await Promise.all(open.values());
    },
  };
}

interface RunningCall {
  readonly task: string;
  readonly attempt: number;
  readonly stop: Stop;
  readonly limit: TimeLimit;
  readonly word: Word;
  readonly clock: Clock;
  readonly mailbox: Pick<Mailbox, 'post'>;
}

/** Asks the user in the name of a call. Its time stands still meanwhile. */
function elicitFor(
  { task, attempt, stop, limit }: RunningCall,
  ask: (mail: Mail) => void,
): (asked: InputRequest) => Promise<InputResponse> {
  return (asked) =>
    new Promise((resolve) => {
      const request = normalRequest(asked);
      if (request === undefined) return resolve({ action: 'cancel' });
      limit.pause();
      const reply = (response: InputResponse) => {
        if (!stop.isStopped) limit.resume();
        resolve(response);
      };
      ask({ type: 'input_asked', task, attempt, request, reply });
    });
}

/** Makes the calls of other tools that a service makes, so that each is journaled before and after. */
function innerFor({ task, attempt, stop, word, clock, mailbox }: RunningCall): NonNullable<Call['inner']> {
  return async (made: MadeInside, make: () => Promise<CallOutcome>): Promise<CallOutcome> => {
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
  };
}

interface OpenThought {
  readonly stop: Stop;
  /** Whether its start is durable. */
  isWritten: boolean;
  ended: Mail | undefined;
}

interface EarlyCall {
  readonly open: OpenCall;
  ended: EndedCall | undefined;
  isTask: boolean;
}

/** Whether the outcome can be journaled together with the start of the call. */
export function hasAnswer({ outcome: { kind } }: EndedCall): boolean {
  return kind === 'succeeded' || kind === 'failed';
}

/** Toolbox and mind promise not to throw. A bug there must not end the run or the process. */
async function safely<T>(work: () => Promise<T>, otherwise: (message: string) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return otherwise(messageOf(error));
  }
}

function notCalled(operation: string, word: Word): CallOutcome {
  const cause = { kind: 'cancelled', code: 'not_called', params: { operation } } as const;
  return { kind: 'failed', failure: toFailure(cause, word) };
}

function brokenThought(reason: string, word: Word): Thinking {
  const cause = { kind: 'model_error', code: 'mind_broke', params: { reason } } as const;
  return { kind: 'failed', failure: toFailure(cause, word) };
}

/** A tool sees only an aborted signal. The reason tells the driver whether it was a timeout. */
function isTimeUp({ kind }: CallOutcome, { reason }: Stop): boolean {
  const hasAnswered = kind === 'succeeded' || kind === 'ambiguous' || kind === 'input_wanted';
  return reason === 'timeout' && !hasAnswered;
}
