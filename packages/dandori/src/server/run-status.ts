import type { Conversation, ConversationRun } from '../conversation/conversation.ts';
import type { Event } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import type { Live } from '../model/live.ts';
import { redact } from '../model/redact.ts';
import type { DrivingState, TalkedRun } from './api.ts';
import type { EventStreams } from './event-streams.ts';

/** What is live of a run, for who follows the run and for who follows its conversation. */
export interface News {
  live(live: Live): void;
  driving(run: string, state: DrivingState): void;
  /** With the end of a decision, what was written as its answer is of no interest any more. */
  event(event: Event): void;
  /** For who comes while an answer is being written: all of it so far, in place of what they know. */
  soFar(run: string): readonly (readonly [name: string, value: object])[];
}

interface NewsOptions {
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

/** How the runs of conversations stand, for who follows those: told where it has changed, and not for every event. */
export interface Standings {
  watch(conversation: Conversation): void;
  of(conversation: Conversation): TalkedRun[];
}

interface Options {
  readonly streams: Pick<EventStreams, 'tell' | 'isFollowed'>;
  readonly stateOf: (run: string) => DrivingState;
}

/** Milliseconds in which changes come together: a step of a hundred tasks is told a few times and not a hundred. */
const PACE = 50;

export function createStandings({ streams, stateOf }: Options): Standings {
  const of = (conversation: Conversation) =>
    conversation.runs().map((run) => talkedRun(run, stateOf(run.run)));
  return {
    of,
    watch(conversation) {
      const { id } = conversation;
      const told = new Map<string, string>();
      let isDue = false;
      const tell = () => {
        isDue = false;
        for (const run of of(conversation)) {
          const text = stringifyJson(run);
          if (told.get(run.run) !== text) streams.tell(id, 'run', run);
          told.set(run.run, text);
        }
      };
      conversation.watch(() => {
        if (!streams.isFollowed(id)) told.clear();
        else if (!isDue) {
          isDue = true;
          setTimeout(tell, PACE).unref();
        }
      });
    },
  };
}

function talkedRun({ problem, ...run }: ConversationRun, driving: DrivingState): TalkedRun {
  return { ...run, driving, ...(problem !== undefined && { problem: CANNOT }) };
}

/** What exactly is in the way tells of the server's inside. */
const CANNOT = 'The server cannot go on with it. Its log says why.';

/** Text that comes in pieces, without secrets, also where one lies across two pieces. */
interface Withheld {
  /** What can be shown now. What may be the beginning of a secret is kept back until more has come. */
  pass(text: string): string;
}

export function withholdSecrets(given: readonly string[]): Withheld {
  const secrets = given.filter((secret) => secret !== '');
  let kept = '';
  return {
    pass(text) {
      const whole = kept + text;
      const end = endOfShown(whole, secrets);
      kept = whole.slice(end);
      return redact(whole.slice(0, end), secrets);
    },
  };
}

/** A secret may be the beginning of a longer one, and one that lies across the end is not cut in two. */
function endOfShown(text: string, secrets: readonly string[]): number {
  let end = text.length - Math.max(0, ...secrets.map((secret) => beginningAtEnd(text, secret)));
  while (end > 0) {
    const across = secrets
      .map((secret) => ({ at: text.lastIndexOf(secret, end - 1), length: secret.length }))
      .filter(({ at, length }) => at >= 0 && at + length > end);
    if (across.length === 0) break;
    end = Math.min(...across.map(({ at }) => at));
  }
  return end;
}

/** How much of the end of a text is the beginning of a secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
