import type { Thinking } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import type { Action } from '../model/task.ts';
import type { InputResponse } from '../run/state/held-calls.ts';
import type { CallOutcome, InputRequest, MadeInside } from '../tools/index.ts';

interface CallEnd {
  readonly task: string;
  readonly attempt: number;
  readonly outcome: CallOutcome;
  readonly ms: number;
}

interface InnerMail {
  readonly task: string;
  readonly attempt: number;
  readonly call: MadeInside;
}

/** What wakes a driver. */
export type Mail =
  | ({ readonly type: 'call_ended' } & CallEnd)
  | ({ readonly type: 'probe_ended' } & CallEnd)
  | ({ readonly type: 'preview_ended' } & CallEnd)
  /** An open call asks the user. */
  | {
      readonly type: 'input_asked';
      readonly task: string;
      readonly attempt: number;
      readonly request: InputRequest;
      readonly reply: (response: InputResponse) => void;
    }
  /** A service wants to make a call. The reply is its outcome, if that is recorded. */
  | ({
      readonly type: 'inner_call_asked';
      readonly reply: (answer: 'make' | CallOutcome) => void;
    } & InnerMail)
  /** An inner call has ended. The reply is the outcome as journaled. */
  | ({
      readonly type: 'inner_call_ended';
      readonly outcome: CallOutcome;
      readonly ms: number;
      readonly reply: (outcome: CallOutcome) => void;
    } & InnerMail)
  | {
      readonly type: 'thought_ended';
      readonly decision: number;
      readonly thinking: Thinking;
      readonly ms: number;
    }
  /** The model has written an action and is still writing. */
  | { readonly type: 'action_written'; readonly stream: number; readonly action: Action }
  /** A prefetched call has ended before its task started. */
  | { readonly type: 'read_ended'; readonly stream: number; readonly task: string }
  | { readonly type: 'journal_changed' }
  /** The process ends, or the caller of `drive` wants to stop. */
  | { readonly type: 'leave_asked' };

/**
 * The only place where the driver waits. Mail that arrives while it works is delivered together at the next
 * wait.
 */
export interface Mailbox {
  post(mail: Mail): void;
  /** All new mail, as soon as there is some or the time is up. */
  wait(until: number | undefined): Promise<Mail[]>;
  /** Mail that arrives until the end of this turn of the event loop. */
  rest(): Promise<Mail[]>;
}

export function createMailbox(clock: Clock): Mailbox {
  let mails: Mail[] = [];
  let wake: (() => void) | undefined;

  function takeAll(): Mail[] {
    const taken = mails;
    mails = [];
    return taken;
  }

  return {
    post(mail) {
      mails.push(mail);
      wake?.();
    },
    async wait(until) {
      if (mails.length === 0) {
        await new Promise<void>((resolve) => {
          const takeBack = until === undefined ? undefined : clock.at(until, resolve);
          wake = () => {
            takeBack?.();
            resolve();
          };
        });
        wake = undefined;
      }
      return takeAll();
    },
    async rest() {
      await new Promise((resolve) => setImmediate(resolve));
      return takeAll();
    },
  };
}
