import type { DrivingState } from '../client/api.ts';
import type { Live } from '../engine/live.ts';
import type { EventStreams } from './event-streams.ts';
import { type Withheld, withholdSecrets } from './withheld.ts';

/** What is live of a run, for who follows the run and for who follows its conversation. */
export interface News {
  live(live: Live): void;
  driving(run: string, state: DrivingState): void;
}

export interface NewsOptions {
  readonly runs: Pick<EventStreams, 'tell'>;
  readonly conversations: Pick<EventStreams, 'tell'>;
  readonly secrets: readonly string[];
  /** The conversation that a run belongs to. */
  readonly conversationOf: (run: string) => string | undefined;
}

export function createNews({ runs, conversations, secrets, conversationOf }: NewsOptions): News {
  /** The answers that are being written. */
  const answers = new Map<string, Withheld>();

  function answerOf(run: string): Withheld {
    const known = answers.get(run) ?? withholdSecrets(secrets);
    answers.set(run, known);
    return known;
  }

  function tell(run: string, name: string, value: object): void {
    runs.tell(run, name, value);
    const conversation = conversationOf(run);
    if (conversation !== undefined) conversations.tell(conversation, name, value);
  }

  return {
    live(live) {
      if (live.type !== 'answer_text') return tell(live.run, live.type, live);
      const text = answerOf(live.run).pass(live.text);
      if (text !== '') tell(live.run, live.type, { ...live, text });
    },
    driving(run, state) {
      if (state === 'idle') answers.delete(run);
      tell(run, 'driving', { run, state });
    },
  };
}
