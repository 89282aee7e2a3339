import type { Envelope, FactOf } from '../../model/event.ts';

/** What a run began with. Nothing of it ever changes. */
export interface Start {
  readonly run: string;
  readonly goal: string;
  readonly mind: string;
  readonly userId: string | undefined;
  readonly planGiven: boolean;
  /** The run whose past this one shares, and up to which event. */
  readonly forkedFrom: FactOf<'run_started'>['data']['forkedFrom'];
  readonly conversation: string | undefined;
  /** What the mind is told of the conversation. */
  readonly context: string | undefined;
  /** Whether its mind may cancel another run unasked, before a tool has spoken. */
  readonly mayCancel: boolean | undefined;
  /** Secrets stand in it as marks. False for a run of version 0.1, where `[secret]` is all that is left of them. */
  readonly isSealed: boolean;
  readonly startedAt: number;
}

export function createStart({ run, at, data }: Envelope & FactOf<'run_started'>): Start {
  return {
    run,
    goal: data.goal,
    mind: data.mind,
    userId: data.userId,
    planGiven: data.planGiven ?? false,
    forkedFrom: data.forkedFrom,
    conversation: data.conversation,
    context: data.context,
    mayCancel: data.mayCancel,
    isSealed: data.sealed === true,
    startedAt: at,
  };
}
