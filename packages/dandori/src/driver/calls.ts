import type { Thinking, Thought } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import { assertNever } from '../model/error.ts';
import { isNormal, type JsonObject, normalise } from '../model/json.ts';
import type { Action } from '../model/task.ts';
import type { InputResponse } from '../run/state/held-calls.ts';
import type { Call, CallOutcome, InputRequest, MadeInside } from '../tools/index.ts';
import { sealingOf } from '../trust/index.ts';
import type { Texts } from '../views/texts/driver.ts';
import type { Mail, Mailbox } from './mailbox.ts';
import type { Parts } from './parts.ts';
import type { ReadAhead } from './prefetch.ts';

/** Levels of a result: more than any tool needs, and few enough for recursive code. */
const DEEPEST = 500;
/** How long a call may take to stop after it was told to. Then it counts as lost. */
const GRACE = 5_000;

export interface PlannedCall extends Omit<Call, 'signal' | 'run' | 'progress' | 'elicit' | 'inner' | 'seal'> {
  /** Whether the calls that the service makes are journaled. A read changes nothing, so its calls are not. */
  readonly isFollowed?: boolean;
  /** A probe for the call of this attempt, not the call itself. */
  readonly isProbe?: boolean;
  /** Milliseconds to wait before the call. */
  readonly delay?: number;
  readonly attempt: number;
  readonly timeout: number;
  readonly texts: Texts;
}

/** How a call ended and how long it took. */
export interface Ended {
  readonly outcome: CallOutcome;
  readonly ms: number;
}

/** A call in progress. */
export interface Begun {
  /** Never rejects. */
  readonly ended: Promise<Ended>;
  /** The call belongs to a task now, so it may ask the user. */
  taken(): void;
  abort(reason: string): void;
}

/**
 * Running tool calls and the running decision. Each ends with exactly one mail.
 *
 * C1  `release` makes planned calls after the commit. A decision has no effect except its cost, so it may
 *     start while the disk still writes. A prefetched read has no effect, so it is made at once.
 * C2  Every call has its own signal. The call's timeout, the run's cancel and the end of the drive abort it.
 * C3  A call that does not stop within the grace period counts as lost, and its late outcome is ignored.
 */
export interface Calls {
  plan(call: PlannedCall): void;
  planThought(decision: number, thought: Omit<Thought, 'signal'>): void;
  /** Whether planned calls wait for the next commit. */
  readonly isAnyPlanned: boolean;
  thinkNow(): void;
  /** Makes the planned calls, except prefetched ones. */
  release(ahead: Pick<ReadAhead, 'take' | 'settle'>): void;
  /** Prefetch: makes a call at once. It is reported only when its task starts. */
  begin(call: PlannedCall, isTask: () => boolean): Begun;
  /** The commit failed, so the planned calls must not be made. */
  forgetPlanned(): void;
  abort(reason: string): void;
  stopAll(): Promise<void>;
}

export function createCalls(run: string, parts: Parts, mailbox: Mailbox): Calls {
  const { clock } = parts;
  let planned: PlannedCall[] = [];
  let thought: { decision: number; about: Omit<Thought, 'signal'> } | undefined;
  let thinking: { controller: AbortController; isForgotten: boolean; isWritten: boolean } | undefined;
  const open = new Map<AbortController, Promise<unknown>>();

  function track(controller: AbortController, work: Promise<unknown>): void {
    open.set(controller, work);
    void work.finally(() => open.delete(controller));
  }

  function begin(call: PlannedCall, isTask: () => boolean): Begun {
    const controller = new AbortController();
    let asked: Mail[] | undefined = isTask() ? undefined : [];
    const ask = (mail: Mail) => (asked === undefined ? mailbox.post(mail) : void asked.push(mail));
    const ended = make(call, controller, { isTask, ask });
    track(controller, ended);
    return {
      ended,
      taken() {
        for (const mail of asked ?? []) mailbox.post(mail);
        asked = undefined;
      },
      abort: (reason) => controller.abort(reason),
    };
  }

  async function make(
    { texts, isProbe = false, isFollowed = false, delay = 0, ...call }: PlannedCall,
    controller: AbortController,
    { isTask, ask }: { isTask: () => boolean; ask: (mail: Mail) => void },
  ): Promise<Ended> {
    const { signal } = controller;
    if (delay > 0) await pause(delay, { signal, clock });
    const { task, attempt } = call;
    const limit = createTimeLimit(clock, call.timeout, () => controller.abort('timeout'));
    const elicit = (asked: InputRequest) =>
      new Promise<InputResponse>((resolve) => {
        const request = normalRequest(asked);
        if (request === undefined) return resolve({ action: 'cancel' });
        limit.pause();
        const reply = (response: InputResponse) => {
          if (!signal.aborted) limit.resume();
          resolve(response);
        };
        ask({ type: 'input_asked', task, attempt, request, reply });
      });
    const progress = (message: string, fraction?: number) => {
      if (isTask()) parts.onLive?.({ type: 'task_progress', run, task: call.task, message, fraction });
    };
    const inner = async (made: MadeInside, make: () => Promise<CallOutcome>): Promise<CallOutcome> => {
      const of = { task, attempt, call: made };
      const stopped = notCalled(made.operation);
      if (signal.aborted) return stopped;
      const answer = await unlessAborted<'make' | CallOutcome>(signal, stopped, (reply) =>
        mailbox.post({ type: 'inner_call_asked', ...of, reply }),
      );
      const startedAt = clock.now();
      const outcome = answer === 'make' ? await safely(make, brokenCall) : answer;
      // The driver may have allowed the call just before the stop. Then the journal must say that it was not
      // made.
      if (answer !== 'make' && answer !== stopped) return answer;
      const ms = clock.now() - startedAt;
      return unlessAborted(signal, outcome, (reply) =>
        mailbox.post({ type: 'inner_call_ended', ...of, outcome, ms, reply }),
      );
    };
    const otherwise: CallOutcome = {
      kind: 'lost',
      cause: 'cancelled',
      message: texts.didNotStop,
      unstopped: true,
    };
    const made = safely(
      () =>
        parts.toolbox.call({
          ...call,
          run,
          signal,
          progress,
          ...(!isProbe && { elicit }),
          ...(isFollowed && { inner }),
          seal: sealingOf(parts).seal,
        }),
      brokenCall,
    );
    const outcome = normalOutcome(await withGrace(made, { signal, clock, otherwise }), texts);
    limit.stop();
    const isLate = isTimeUp(outcome, signal);
    const late: CallOutcome = {
      kind: 'lost',
      cause: 'timeout',
      message: texts.tooSlow(call.timeout / 1000),
    };
    return { outcome: isLate ? late : outcome, ms: limit.spent() };
  }

  async function think(
    decision: number,
    about: Omit<Thought, 'signal'>,
    current: NonNullable<typeof thinking>,
  ): Promise<void> {
    const startedAt = clock.now();
    const { signal } = current.controller;
    const onAction = about.onAction && ((action: Action) => about.onAction?.(normalAction(action)));
    const otherwise: Thinking = {
      kind: 'failed',
      failure: { kind: 'cancelled', message: 'The thought was stopped.' },
    };
    const result = await withGrace(
      safely(
        async () => normalThinking(await parts.mind.think({ ...about, onAction, signal })),
        brokenThought,
      ),
      { signal, clock, otherwise },
    );
    if (thinking === current) thinking = undefined;
    if (!current.isForgotten)
      mailbox.post({ type: 'thought_ended', decision, thinking: result, ms: clock.now() - startedAt });
  }

  return {
    plan: (call) => void planned.push(call),
    planThought(decision, about) {
      thought = { decision, about };
    },
    get isAnyPlanned() {
      return planned.length > 0 || thought !== undefined;
    },
    thinkNow() {
      if (thought === undefined) return;
      const current = { controller: new AbortController(), isForgotten: false, isWritten: false };
      thinking = current;
      track(current.controller, think(thought.decision, thought.about, current));
      thought = undefined;
    },
    begin,
    release(ahead) {
      const due = planned.map((call) => ({ call, early: ahead.take(call) }));
      planned = [];
      ahead.settle();
      for (const { call, early } of due) {
        const { task, attempt, isProbe = false } = call;
        const type = isProbe ? 'probe_ended' : 'call_ended';
        early?.taken();
        const { ended } = early ?? begin(call, () => !isProbe);
        void ended.then((how) => mailbox.post({ type, task, attempt, ...how }));
      }
      if (thinking !== undefined) thinking.isWritten = true;
    },
    forgetPlanned() {
      planned = [];
      if (thinking === undefined || thinking.isWritten) return;
      thinking.isForgotten = true;
      thinking.controller.abort('forgotten');
    },
    abort(reason) {
      for (const controller of open.keys()) {
        if (!controller.signal.aborted) controller.abort(reason);
      }
    },
    async stopAll() {
      for (const controller of open.keys()) controller.abort('the driver stops');
      await Promise.all(open.values());
    },
  };
}

/** Toolbox and mind promise not to throw. A bug there must not end the run or the process. */
async function safely<T>(work: () => Promise<T>, otherwise: (message: string) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return otherwise(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Normalises a result to what the journal stores before any code uses it. A live run and a resumed run then
 * see the same value.
 */
function normalOutcome(outcome: CallOutcome, texts: Texts): CallOutcome {
  switch (outcome.kind) {
    case 'succeeded':
    case 'ambiguous':
    case 'input_wanted':
      break;
    case 'failed':
    case 'lost':
      return outcome;
    default:
      return assertNever(outcome);
  }
  const value: unknown = outcome.kind === 'succeeded' ? outcome.result : outcome;
  if (isNormal(value, DEEPEST)) return outcome;
  try {
    const normal = normalise(value);
    if (!isNormal(normal, DEEPEST)) throw new RangeError();
    return outcome.kind === 'succeeded' ? { ...outcome, result: normal } : (normal as unknown as CallOutcome);
  } catch (error) {
    const reason =
      error instanceof Error && !(error instanceof RangeError) ? error.message : texts.tooDeep(DEEPEST);
    return { kind: 'failed', failure: { kind: 'invalid_result', message: texts.notWritten(reason) } };
  }
}

/** Undefined if the request cannot be written as JSON. */
function normalRequest(request: InputRequest): InputRequest | undefined {
  try {
    return isNormal(request) ? request : (normalise(request) as unknown as InputRequest);
  } catch {
    return undefined;
  }
}

/** Normalises an action to what the journal stores. A timeout stays a number. */
function normalAction(action: Action): Action {
  const { args, expect, ...rest } = action;
  if (isNormal(args) && (expect === undefined || isNormal(expect))) return action;
  return {
    ...rest,
    args: normalise(args) as JsonObject,
    ...(expect !== undefined && { expect: normalise(expect) as Action['expect'] }),
  };
}

function normalThinking(thinking: Thinking): Thinking {
  return thinking.kind === 'decided'
    ? { ...thinking, actions: thinking.actions.map(normalAction) }
    : thinking;
}

function brokenCall(message: string): CallOutcome {
  return { kind: 'lost', cause: 'connection_lost', message: `The call broke: ${message}` };
}

function notCalled(operation: string): CallOutcome {
  const message = `${operation} was not called: the run was stopped before`;
  return { kind: 'failed', failure: { kind: 'cancelled', message } };
}

/**
 * Resolves with the reply, or with `otherwise` if the signal aborts first. A driver that has left never
 * replies.
 */
function unlessAborted<T>(
  signal: AbortSignal,
  otherwise: T,
  ask: (reply: (answer: T) => void) => void,
): Promise<T> {
  return new Promise((resolve) => {
    const stop = () => resolve(otherwise);
    signal.addEventListener('abort', stop, { once: true });
    ask((answer) => {
      signal.removeEventListener('abort', stop);
      resolve(answer);
    });
    if (signal.aborted) stop();
  });
}

function brokenThought(message: string): Thinking {
  return { kind: 'failed', failure: { kind: 'model_error', message: `The mind broke: ${message}` } };
}

/** Waits `ms`, or until the signal aborts. The tool then sees the aborted signal. */
function pause(ms: number, { signal, clock }: { signal: AbortSignal; clock: Parts['clock'] }): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = clock.at(clock.now() + ms, resolve);
    const stop = () => {
      takeBack();
      resolve();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

interface Grace<T> {
  readonly signal: AbortSignal;
  readonly clock: Parts['clock'];
  readonly otherwise: T;
}

async function withGrace<T>(work: Promise<T>, { signal, clock, otherwise }: Grace<T>): Promise<T> {
  let takeBack: (() => void) | undefined;
  const givenUp = new Promise<T>((resolve) => {
    const begin = () => {
      takeBack = clock.at(clock.now() + GRACE, () => resolve(otherwise));
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    takeBack?.();
  }
}

/** A tool sees only an aborted signal. The abort reason tells the driver whether it was a timeout. */
function isTimeUp({ kind }: CallOutcome, { aborted, reason }: AbortSignal): boolean {
  const hasAnswered = kind === 'succeeded' || kind === 'ambiguous' || kind === 'input_wanted';
  return aborted && reason === 'timeout' && !hasAnswered;
}

/** The duration and the timeout of a call. Both pause while the user is asked. */
interface TimeLimit {
  pause(): void;
  /** Call it as often as `pause`; the last call resumes the timer. */
  resume(): void;
  /** Milliseconds, without the pauses. */
  spent(): number;
  stop(): void;
}

function createTimeLimit(clock: Clock, ms: number, up: () => void): TimeLimit {
  let since = clock.now();
  let before = 0;
  let pauses = 0;
  let isStopped = false;
  let takeBack = clock.at(since + ms, up);

  return {
    pause() {
      if (pauses++ > 0) return;
      takeBack();
      before += clock.now() - since;
    },
    resume() {
      // An answer may arrive after the call has ended.
      if (--pauses > 0 || isStopped) return;
      since = clock.now();
      takeBack = clock.at(since + ms - before, up);
    },
    spent: () => before + (pauses > 0 ? 0 : clock.now() - since),
    stop() {
      isStopped = true;
      takeBack();
    },
  };
}
