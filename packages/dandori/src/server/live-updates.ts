import * as z from 'zod';
import type { Conversation, ConversationRun } from '../conversation/index.ts';
import type { Event, Live } from '../model/event.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { redact } from '../model/redact.ts';
import type { Bus } from '../store/index.ts';
import type { ConversationRunStatus, DrivingState } from './api.ts';
import type { EventStreams } from './event-streams.ts';
import type { ServerParts } from './parts.ts';

/** Sends live updates of a run to the clients that follow the run or its conversation. */
export interface LiveUpdates {
  live(live: Live): void;
  driving(run: string, state: DrivingState): void;
  /** When a decision ends, its partial answer is dropped. */
  event(event: Event): void;
  /**
   * The whole answer so far, for a client that joins while it is being written. It replaces earlier deltas.
   */
  soFar(run: string): readonly (readonly [name: string, value: object])[];
  /** What another process said last that it does with the run. */
  elsewhere(run: string): DrivingState;
  /** Ends listening to other processes. */
  close(): void;
}

interface LiveUpdatesOptions {
  readonly runs: Pick<EventStreams, 'tell'>;
  readonly conversations: Pick<EventStreams, 'tell'>;
  readonly secrets: readonly string[];
  readonly conversationOf: (run: string) => string | undefined;
  /** The other processes of the store. Clients there see what is driven here, and the other way round. */
  readonly bus?: Bus | undefined;
}

/** A live message between processes. `at`: how much of the answer came before it. */
const passedOn = z.object({
  run: z.string(),
  name: z.string(),
  value: z.looseObject({ text: z.string().optional(), state: z.string().optional() }),
  at: z.number().optional(),
});

/** The answer is complete. Only processes tell each other. */
const ANSWER_OVER = 'answer_over';

export function createLiveUpdates({
  runs,
  conversations,
  secrets,
  conversationOf,
  bus,
}: LiveUpdatesOptions): LiveUpdates {
  /** The answers that are being written, by run. */
  const answers = new Map<string, { readonly filter: SecretFilter; text: string }>();
  /** The answers that other processes write. */
  const others = new Map<string, string>();
  const drivenElsewhere = new Set<string>();

  function write(run: string, text: string): string {
    const answer = answers.get(run) ?? { filter: createSecretFilter(secrets), text: '' };
    answers.set(run, answer);
    const shown = answer.filter.pass(text);
    answer.text += shown;
    return shown;
  }

  function tell(run: string, name: string, value: object, at?: number): void {
    tellHere(run, name, value);
    bus?.tell(stringifyJson({ run, name, value, ...(at !== undefined && { at }) }));
  }

  /** A message of another process. If one before it got lost, the rest of the answer is not shown live. */
  function heard(message: string): void {
    const { success, data } = passedOn.safeParse(parseJson(message));
    if (!success) return;
    const { run, name, value, at } = data;
    if (name === ANSWER_OVER) return void others.delete(run);
    if (name === 'driving') {
      if (value.state === 'driving') drivenElsewhere.add(run);
      else drivenElsewhere.delete(run);
      if (value.state === 'idle') others.delete(run);
    }
    if (value.text !== undefined && at !== undefined) {
      const before = at === 0 ? '' : others.get(run);
      if (before?.length !== at) return void others.delete(run);
      others.set(run, before + value.text);
    }
    tellHere(run, name, value);
  }
  const close = bus?.hear(heard) ?? (() => {});

  function tellHere(run: string, name: string, value: object): void {
    runs.tell(run, name, value);
    const conversation = conversationOf(run);
    if (conversation !== undefined) conversations.tell(conversation, name, value);
  }

  return {
    live(live) {
      if (live.type !== 'answer_text') return tell(live.run, live.type, live);
      const at = answers.get(live.run)?.text.length ?? 0;
      const text = write(live.run, live.text);
      if (text !== '') tell(live.run, live.type, { ...live, text }, at);
    },
    driving(run, state) {
      if (state === 'idle') answers.delete(run);
      tell(run, 'driving', { run, state });
    },
    event({ type, run }) {
      if (type !== 'decision_made' && type !== 'decision_failed') return;
      if (answers.delete(run)) bus?.tell(stringifyJson({ run, name: ANSWER_OVER, value: {} }));
    },
    soFar(run) {
      const text = answers.get(run)?.text ?? others.get(run) ?? '';
      return text === '' ? [] : [['answer_so_far', { run, text }]];
    },
    elsewhere: (run) => (drivenElsewhere.has(run) ? 'driving' : 'idle'),
    close,
  };
}

/** What happens with a run, in this process or in another one. */
export async function drivingNow(
  run: string,
  { driving, dandori }: Pick<ServerParts, 'driving' | 'dandori'>,
): Promise<DrivingState> {
  const here = driving.stateOf(run);
  if (here !== 'idle') return here;
  return (await dandori.dispatcher.driven?.([run]))?.has(run) === true ? 'driving' : 'idle';
}

/** Sends the status of a conversation's runs to the clients that follow it. Only changes are sent. */
export interface RunStatusFeed {
  watch(conversation: Conversation): void;
  of(conversation: Conversation): ConversationRunStatus[];
}

interface Options {
  readonly streams: Pick<EventStreams, 'tell' | 'isFollowed'>;
  readonly stateOf: (run: string) => DrivingState;
}

/**
 * Milliseconds during which changes are collected, so that a step of a hundred tasks sends only a few
 * messages.
 */
const PACE = 50;

export function createRunStatusFeed({ streams, stateOf }: Options): RunStatusFeed {
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

function talkedRun({ problem, ...run }: ConversationRun, driving: DrivingState): ConversationRunStatus {
  return { ...run, driving, ...(problem !== undefined && { problem: CANNOT }) };
}

/** The exact reason would reveal details of the server. */
const CANNOT = "The server can't continue it. Its log says why.";

/** Removes secrets from text that arrives in pieces, even if a secret spans two pieces. */
interface SecretFilter {
  /** Returns what can be shown now. A possible beginning of a secret is held until more text arrives. */
  pass(text: string): string;
}

export function createSecretFilter(given: readonly string[]): SecretFilter {
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

/**
 * The end of the text that is safe to show. It never lies inside a secret, nor inside a possible longer one.
 */
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

/** How many characters at the end of the text may be the beginning of the secret. */
function beginningAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) return length;
  return 0;
}
