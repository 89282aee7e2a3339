import type { ConversationEvent } from '../model/conversation.ts';
import type { Live } from '../model/live.ts';
import type {
  AnswerSoFar,
  BeginRequest,
  BegunConversation,
  CancelRequest,
  ConversationAnswer,
  ConversationFilters,
  ConversationNow,
  ConversationPage,
  ConversationRange,
  DrivingState,
  Heard,
  MessagePage,
  MessageRange,
  SayRequest,
  TalkedRun,
  TellRequest,
} from '../server/api.ts';
import {
  type Connection,
  type FollowOptions,
  followStream,
  queryOf,
  readJson,
  type ServerEvent,
} from './connection.ts';

export type BeginOptions = Omit<BeginRequest, 'text'> & {
  /** A request that is sent twice with the same key begins one conversation. */
  readonly key?: string | undefined;
};

export type SayOptions = Omit<SayRequest, 'text'> & {
  /** A message that is sent twice with the same key is said once. */
  readonly key?: string | undefined;
};

export type PageOptions = MessageRange;

/**
 * A fact of the conversation's journal, or what is only for who is there: how a run stands (`run`, also told of every
 * run that has not ended when the stream begins), its deltas, whether somebody drives it, and where its answer was being
 * written already, all of it so far, in place of the deltas before.
 */
export type Talked =
  | { readonly kind: 'event'; readonly event: ConversationEvent }
  | { readonly kind: 'run'; readonly run: TalkedRun }
  | AnswerSoFar
  | { readonly kind: 'live'; readonly live: Live }
  | { readonly kind: 'driving'; readonly run: string; readonly state: DrivingState };

/** The conversations of a server. What is said is done there, whether or not anybody listens. */
export interface Conversations {
  /** Begins one with its first message. */
  begin(text: string, options?: BeginOptions): Promise<BegunConversation>;
  list(options?: ConversationFilters): Promise<ConversationPage>;
  get(conversation: string, options?: ConversationRange): Promise<ConversationNow>;
  /** Those before the message `before`, which is `earlier` of the page that came before. */
  messages(conversation: string, options?: PageOptions): Promise<MessagePage>;
  /** Comes back when it is written down, not when it is done. */
  say(conversation: string, text: string, options?: SayOptions): Promise<Heard>;
  /** Where it is not plain from words alone which question is meant. */
  answer(conversation: string, answer: ConversationAnswer): Promise<Heard>;
  /** A no with a reason to the plan that a run has proposed, the answer to its question, or a note. */
  tell(conversation: string, note: TellRequest): Promise<void>;
  /** One run, or all that have not ended; gives those that it has told. */
  cancel(conversation: string, options?: CancelRequest): Promise<string[]>;
  /** The messages were really shown. Gives those that nobody had acknowledged before. */
  acknowledge(conversation: string, messages: readonly string[]): Promise<string[]>;
  /** For the runs that follow. Gives its whole name. */
  useModel(conversation: string, model: string): Promise<string>;
  /** Every event once and in order, however often the connection is lost. */
  follow(conversation: string, options?: FollowOptions): AsyncGenerator<Talked>;
}

export function createConversations({ send, get, post }: Connection, patience: number): Conversations {
  const at = (conversation: string, rest = '') =>
    `/api/conversations/${encodeURIComponent(conversation)}${rest}`;
  return {
    begin: (text, { key, ...options } = {}) => post('/api/conversations', { text, ...options }, key),
    list: (options = {}) => get(`/api/conversations${queryOf(options)}`),
    get: (conversation, options = {}) => get(at(conversation, queryOf(options))),
    messages: (conversation, options = {}) => get(at(conversation, `/messages${queryOf(options)}`)),
    say: (conversation, text, { key, seen } = {}) =>
      post(at(conversation, '/say'), { text, ...(seen !== undefined && { seen }) }, key),
    answer: (conversation, answer) => post(at(conversation, '/answer'), answer),
    async tell(conversation, note) {
      await post(at(conversation, '/tell'), note);
    },
    cancel: async (conversation, options = {}) =>
      (await post<{ runs: string[] }>(at(conversation, '/cancel'), options)).runs,
    acknowledge: async (conversation, messages) =>
      (await post<{ messages: string[] }>(at(conversation, '/acknowledge'), { messages })).messages,
    useModel: async (conversation, model) =>
      (await post<{ model: string }>(at(conversation, '/model'), { model })).model,
    async *follow(conversation, options) {
      const stream = { send, path: at(conversation, '/stream'), patience };
      for await (const event of followStream(stream, options)) yield talked(event);
    },
  };
}

function talked({ name, data }: ServerEvent): Talked {
  switch (name) {
    case 'message':
      return { kind: 'event', event: readJson(data) };
    case 'run':
      return { kind: 'run', run: readJson(data) };
    case 'driving':
      return { ...readJson<{ run: string; state: DrivingState }>(data), kind: 'driving' };
    case 'answer_so_far':
      return { ...readJson<Omit<AnswerSoFar, 'kind'>>(data), kind: 'answer' };
    // A newer server may have other deltas.
    default:
      return { kind: 'live', live: readJson(data) };
  }
}
