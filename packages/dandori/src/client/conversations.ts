import type { NamedPlan } from '../conversation/state.ts';
import type { ConversationEvent } from '../model/conversation.ts';
import type { Live } from '../model/event.ts';
import type {
  AnswerSoFar,
  BeginRequest,
  CancelRequest,
  ConversationAnswer,
  ConversationFilters,
  ConversationNow,
  ConversationPage,
  ConversationRange,
  ConversationRunStatus,
  DrivingState,
  MessagePage,
  MessageRange,
  SayRequest,
  SayResult,
  StartedConversation,
  TellRequest,
} from '../server/api.ts';
import { asForm, type ClientAttachment } from './attachments.ts';
import {
  type Connection,
  type FollowOptions,
  followStream,
  parsedAs,
  queryString,
  type ServerEvent,
} from './connection.ts';

export type BeginOptions = Omit<BeginRequest, 'text' | 'attachments'> & {
  /** Files for the run of the message. */
  readonly attachments?: readonly ClientAttachment[] | undefined;
  /** Two requests with the same key start one conversation. */
  readonly key?: string | undefined;
};

export type SayOptions = Omit<SayRequest, 'text' | 'attachments'> & {
  /** Files for the run of the message. With files, it answers no question. */
  readonly attachments?: readonly ClientAttachment[] | undefined;
  /** Two messages with the same key count as one. */
  readonly key?: string | undefined;
};

export type PageOptions = MessageRange;

/**
 * An event of the conversation's journal, or a live message: the status of a run (`run`), a delta, the
 * driving state, or the whole answer so far. When the stream begins, the server sends `run` for every run
 * that has not ended. The whole answer replaces earlier deltas.
 */
export type ConversationUpdate =
  | { readonly kind: 'event'; readonly event: ConversationEvent }
  | { readonly kind: 'run'; readonly run: ConversationRunStatus }
  | AnswerSoFar
  | { readonly kind: 'live'; readonly live: Live }
  | { readonly kind: 'driving'; readonly run: string; readonly state: DrivingState };

/** The conversations of a server. The server does the work whether or not a client listens. */
export interface Conversations {
  /** Starts a conversation with its first message. */
  begin(text: string, options?: BeginOptions): Promise<StartedConversation>;
  list(options?: ConversationFilters): Promise<ConversationPage>;
  get(conversation: string, options?: ConversationRange): Promise<ConversationNow>;
  /** The messages before `before`. To get the next older page, pass the `earlier` of the last page. */
  messages(conversation: string, options?: PageOptions): Promise<MessagePage>;
  /** Resolves when the message is journaled, not when its run is done. */
  say(conversation: string, text: string, options?: SayOptions): Promise<SayResult>;
  /** Answers a named question, for when the words alone do not tell which question is meant. */
  answer(conversation: string, answer: ConversationAnswer): Promise<SayResult>;
  /** Rejects the proposed plan of a run with a reason, answers its question, or adds a note. */
  tell(conversation: string, note: TellRequest): Promise<void>;
  /** Cancels one run, or all that have not ended. Returns the cancelled runs. */
  cancel(conversation: string, options?: CancelRequest): Promise<string[]>;
  /** Confirms that the messages were shown. Returns those that were not confirmed before. */
  acknowledge(conversation: string, messages: readonly string[]): Promise<string[]>;
  /** Makes a plan of the conversation the active one, by its name or its run. */
  activatePlan(conversation: string, plan: string): Promise<NamedPlan>;
  /** Sets the model for later runs. Returns the model's full name. */
  useModel(conversation: string, model: string): Promise<string>;
  /** Yields every event once and in order, and reconnects when needed. */
  follow(conversation: string, options?: FollowOptions): AsyncGenerator<ConversationUpdate>;
}

export function createConversations({ send, get, post }: Connection, patience: number): Conversations {
  const at = (conversation: string, rest = '') =>
    `/api/conversations/${encodeURIComponent(conversation)}${rest}`;
  return {
    begin: (text, { key, attachments = [], ...options } = {}) =>
      post('/api/conversations', asForm({ text, ...options }, attachments), key),
    list: (options = {}) => get(`/api/conversations${queryString(options)}`),
    get: (conversation, options = {}) => get(at(conversation, queryString(options))),
    messages: (conversation, options = {}) => get(at(conversation, `/messages${queryString(options)}`)),
    say: (conversation, text, { key, seen, attachments = [] } = {}) => {
      const request = { text, ...(seen !== undefined && { seen }) };
      return post(at(conversation, '/say'), asForm(request, attachments), key);
    },
    answer: (conversation, answer) => post(at(conversation, '/answer'), answer),
    async tell(conversation, note) {
      await post(at(conversation, '/tell'), note);
    },
    cancel: async (conversation, options = {}) =>
      (await post<{ runs: string[] }>(at(conversation, '/cancel'), options)).runs,
    acknowledge: async (conversation, messages) =>
      (await post<{ messages: string[] }>(at(conversation, '/acknowledge'), { messages })).messages,
    activatePlan: (conversation, plan) => post(at(conversation, '/plan'), { plan }),
    useModel: async (conversation, model) =>
      (await post<{ model: string }>(at(conversation, '/model'), { model })).model,
    async *follow(conversation, options) {
      const stream = { send, path: at(conversation, '/stream'), patience };
      for await (const event of followStream(stream, options)) yield toUpdate(event);
    },
  };
}

function toUpdate({ name, data }: ServerEvent): ConversationUpdate {
  switch (name) {
    case 'message':
      return { kind: 'event', event: parsedAs(data) };
    case 'run':
      return { kind: 'run', run: parsedAs(data) };
    case 'driving':
      return { ...parsedAs<{ run: string; state: DrivingState }>(data), kind: 'driving' };
    case 'answer_so_far':
      return { ...parsedAs<Omit<AnswerSoFar, 'kind'>>(data), kind: 'answer' };
    // A newer server may send other kinds of deltas.
    default:
      return { kind: 'live', live: parsedAs(data) };
  }
}
