import type { Thinking, Thought } from '../../mind/index.ts';
import { toFailure, type Word } from '../../model/failure.ts';
import type { Sealing } from '../../model/redact.ts';
import { Stop } from '../../model/stop.ts';
import type { Action } from '../../model/task.ts';
import { LEFT } from '../../tools/index.ts';
import { wordFor } from '../../views/texts/said.ts';
import type { Mail, Mailbox } from '../mailbox.ts';
import type { Parts } from '../parts.ts';
import type { ReadAhead } from '../prefetch.ts';
import { untilEnded } from './call-time.ts';
import { normalAction, normalThinking } from './normal-values.ts';
import {
  type CallState,
  type OpenCall,
  type PlannedCall,
  RunningCall,
  type Stage,
  stateOf,
} from './running-call.ts';

/**
 * Running tool calls and the running decision. Each ends with exactly one mail.
 *
 * C1  `release` makes planned calls after the commit. A decision has no effect except its cost, so it may
 *     start while the disk still writes. A read has no effect either, so it is made at once. So is a decision that
 *     costs nothing.
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
   * loop. Then starts and outcomes are one write. The same is true for a decision that costs nothing. Otherwise returns an
   * empty list.
   */
  takeEnded(ahead: Pick<ReadAhead, 'stateOf' | 'take' | 'settle'>): Promise<Mail[]>;
  /** Makes the planned calls, except prefetched ones. */
  release(ahead: Pick<ReadAhead, 'take' | 'settle'>): void;
  /** Prefetch: makes a call at once. It is reported only when its task starts. */
  begin(call: PlannedCall, stage: Stage): OpenCall;
  /** The commit failed, so the planned calls must not be made, and nothing is stopped. */
  forgetPlanned(): void;
  /** Stops everything that runs, once the reason is durable. */
  planAbort(reason: string): void;
  abort(reason: string): void;
  stopAll(): Promise<void>;
}

export function createCalls(
  run: string,
  parts: Parts,
  { mailbox, sealing }: { readonly mailbox: Mailbox; readonly sealing: Sealing },
): Calls {
  const { clock } = parts;
  let planned: Planned[] = [];
  let thought: { decision: number; about: Omit<Thought, 'signal'> } | undefined;
  let thinking: OpenThought | undefined;
  let abortReason: string | undefined;
  const open = new Map<Stop, Promise<unknown>>();
  const context = { run, parts, mailbox, open, seal: sealing.seal };

  function begin(call: PlannedCall, stage: Stage): OpenCall {
    const begun = new RunningCall(call, stage, context);
    begun.limitTime();
    return begun;
  }

  function stateNow({ call, made }: Planned, ahead: Pick<ReadAhead, 'stateOf'>): CallState | 'none' {
    if (made !== undefined) return stateOf(made);
    return call.instead === undefined ? ahead.stateOf(call) : 'none';
  }

  /** The call, if it was made before its start was written. */
  function takeEarly({ call, made }: Planned, ahead: Pick<ReadAhead, 'take'>): OpenCall | undefined {
    const prefetched = call.instead === undefined ? ahead.take(call) : undefined;
    const taken = made ?? prefetched;
    taken?.taken();
    return taken;
  }

  function think(decision: number, about: Omit<Thought, 'signal'>, current: OpenThought): Promise<void> {
    const startedAt = clock.now();
    const { stop } = current;
    const word = wordFor(about.state);
    const onAction = about.onAction && ((action: Action) => about.onAction?.(normalAction(action)));
    const otherwise = (): Thinking => ({
      kind: 'failed',
      failure: toFailure({ kind: 'cancelled', code: 'mind_stopped' }, word),
    });
    const asked = async () =>
      normalThinking(await parts.mind.think({ ...about, onAction, signal: stop.signal }));
    const broken = (reason: string) => brokenThought(reason, word);
    const end = (result: Thinking) => {
      open.delete(stop);
      current.ended = { type: 'thought_ended', decision, thinking: result, ms: clock.now() - startedAt };
      reportThought();
    };
    return untilEnded(asked, { stop, clock, broken, otherwise, end });
  }

  /** A thought that ends before its start is durable waits: the commit may still fail, and then it is dropped. */
  function reportThought(): void {
    if (thinking?.ended === undefined || !thinking.isWritten) return;
    mailbox.post(thinking.ended);
    thinking = undefined;
  }

  function thinkNow(): void {
    if (thought === undefined) return;
    thinking = { stop: new Stop(), isWritten: false, ended: undefined };
    open.set(thinking.stop, think(thought.decision, thought.about, thinking));
    thought = undefined;
  }

  /** A decision that costs nothing, with what it said, if it ends in this turn of the event loop. */
  async function takeThought(): Promise<Mail[]> {
    thinkNow();
    await untilThisTurnEnds();
    const ended = thinking?.ended;
    if (ended === undefined) return [];
    thinking = undefined;
    return [ended];
  }

  function abort(reason: string): void {
    for (const stop of open.keys()) stop.stop(reason);
  }

  return {
    plan: (call) => void planned.push({ call, made: undefined }),
    planThought(decision, about) {
      thought = { decision, about };
    },
    isAnyPlanned: () => planned.length > 0 || thought !== undefined || thinking?.isWritten === false,
    thinkNow,
    async takeEnded(ahead) {
      if (thought?.about.state.thinking?.isFree === true) return takeThought();
      let isAnyRunning = false;
      let isAnyOther = planned.length === 0;
      for (const one of planned) {
        let now = stateNow(one, ahead);
        if (now === 'none' && one.call.isFree === true) {
          one.made = new RunningCall(one.call, 'planned', context);
          now = 'running';
        }
        if (now === 'running') isAnyRunning = true;
        else if (now !== 'ended') isAnyOther = true;
      }
      if (!isAnyOther && isAnyRunning) await untilThisTurnEnds();
      if (isAnyOther || (isAnyRunning && planned.some((one) => stateNow(one, ahead) !== 'ended'))) {
        for (const { made } of planned) made?.limitTime();
        return [];
      }
      const ended: Mail[] = [];
      for (const one of planned) {
        const { task, attempt } = one.call;
        const how = takeEarly(one, ahead)?.how;
        if (how !== undefined) ended.push({ type: 'call_ended', task, attempt, ...how });
      }
      planned = [];
      ahead.settle();
      return ended;
    },
    begin,
    release(ahead) {
      if (abortReason !== undefined) abort(abortReason);
      abortReason = undefined;
      const due = planned.map((one) => ({ call: one.call, begun: takeEarly(one, ahead) }));
      planned = [];
      ahead.settle();
      for (const { call, begun } of due) {
        const { task, attempt, instead = 'call' } = call;
        const type = `${instead}_ended` as const;
        const { ended } = begun ?? begin(call, instead === 'call' ? 'task' : 'ahead');
        void ended.then((how) => mailbox.post({ type, task, attempt, ...how }));
      }
      if (thinking === undefined) return;
      thinking.isWritten = true;
      reportThought();
    },
    forgetPlanned() {
      for (const { made } of planned) made?.abort('forgotten');
      planned = [];
      abortReason = undefined;
      if (thinking === undefined || thinking.isWritten) return;
      thinking.stop.stop('forgotten');
      thinking = undefined;
    },
    planAbort(reason) {
      abortReason = reason;
    },
    abort,
    async stopAll() {
      abort(LEFT.stopped);
      await Promise.all(open.values());
    },
  };
}

interface Planned {
  readonly call: PlannedCall;
  /** Set if it is a read that has been made already. */
  made: OpenCall | undefined;
}

interface OpenThought {
  readonly stop: Stop;
  /** Whether its start is durable. */
  isWritten: boolean;
  ended: Mail | undefined;
}

function brokenThought(reason: string, word: Word): Thinking {
  const cause = { kind: 'model_error', code: 'mind_broke', params: { reason } } as const;
  return { kind: 'failed', failure: toFailure(cause, word) };
}

/**
 * A turn of the event loop also lets other runs go on together. With `process.nextTick` each would go on alone, and a
 * thousand runs at once take a quarter longer.
 */
function untilThisTurnEnds(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
