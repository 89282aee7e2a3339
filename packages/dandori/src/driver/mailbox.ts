import type { Thinking } from '../mind/mind.ts';
import type { Clock } from '../model/clock.ts';
import type { Action } from '../model/task.ts';
import type { InputResponse } from '../run/state/held-calls.ts';
import type { CallOutcome, InputRequest, MadeInside } from '../tools/toolbox.ts';

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
  /** A look for the call of this attempt, which is in doubt. */
  | ({ readonly type: 'probe_ended' } & CallEnd)
  /** A call that is open asks a person. */
  | {
      readonly type: 'input_asked';
      readonly task: string;
      readonly attempt: number;
      readonly request: InputRequest;
      readonly reply: (response: InputResponse) => void;
    }
  /** A service wants to make a call of its own. The reply is how it ended, where that is known already. */
  | ({
      readonly type: 'inner_call_asked';
      readonly reply: (answer: 'make' | CallOutcome) => void;
    } & InnerMail)
  /** It has ended. The reply is the outcome as it is written down. */
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
  /** While the mind still writes. */
  | { readonly type: 'action_written'; readonly stream: number; readonly action: Action }
  /** One that was made ahead and is no task yet. */
  | { readonly type: 'read_ended'; readonly stream: number; readonly task: string }
  | { readonly type: 'journal_changed' }
  /** The process wants to end, or the one who drives wants to stop. */
  | { readonly type: 'leave_asked' };

/** The one place where the engine waits. What comes while it works is handed over together at the next wait. */
export interface Mailbox {
  post(mail: Mail): void;
  /** All that has come, as soon as there is something or the time is there. */
  wait(until: number | undefined): Promise<Mail[]>;
  /** What comes until the end of this turn of the event loop: often nothing, and never long. */
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
