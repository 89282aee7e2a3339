import type { DrivingState } from '../client/api.ts';
import type { Event } from '../domain/event.ts';
import type { Live } from '../engine/live.ts';
import type { EventStreams } from './event-streams.ts';
import { type Withheld, withholdSecrets } from './withheld.ts';

/** What is live of a run, for who follows the run and for who follows its conversation. */
export interface News {
  live(live: Live): void;
  driving(run: string, state: DrivingState): void;
  /** With the end of a decision, what was written as its answer is of no interest any more. */
  event(event: Event): void;
  /** For who comes while an answer is being written: all of it so far, in place of what they know. */
  soFar(run: string): readonly (readonly [name: string, value: object])[];
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
  const answers = new Map<string, { readonly withheld: Withheld; text: string }>();

  function write(run: string, text: string): string {
    const answer = answers.get(run) ?? { withheld: withholdSecrets(secrets), text: '' };
    answers.set(run, answer);
    const shown = answer.withheld.pass(text);
    answer.text += shown;
    return shown;
  }

  function tell(run: string, name: string, value: object): void {
    runs.tell(run, name, value);
    const conversation = conversationOf(run);
    if (conversation !== undefined) conversations.tell(conversation, name, value);
  }

  return {
    live(live) {
      if (live.type !== 'answer_text') return tell(live.run, live.type, live);
      const text = write(live.run, live.text);
      if (text !== '') tell(live.run, live.type, { ...live, text });
    },
    driving(run, state) {
      if (state === 'idle') answers.delete(run);
      tell(run, 'driving', { run, state });
    },
    event({ type, run }) {
      if (type === 'decision_made' || type === 'decision_failed') answers.delete(run);
    },
    soFar(run) {
      const text = answers.get(run)?.text ?? '';
      return text === '' ? [] : [['answer_so_far', { run, text }]];
    },
  };
}
