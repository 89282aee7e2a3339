import type { Client } from '../../client/client.ts';
import {
  applyConversation,
  type ConversationRun,
  type ConversationState,
  createChanges,
  type RunPhase,
} from '../../conversation/index.ts';
import type { Message } from '../../model/conversation.ts';
import type { ConversationRunStatus } from '../../server/index.ts';

/** The run of a message. `question` is the one that the message answered. */
export interface AwaitedRun {
  readonly run: string;
  readonly question?: string;
}

/** A copy of a conversation on a server, which folds the events that arrive. */
export class ConversationCopy {
  readonly changes = createChanges();
  /** The status of each run, as the server said last. */
  readonly runs = new Map<string, ConversationRunStatus>();
  id: string | undefined;
  model: string | undefined;
  readonly #conversations: Client['conversations'];
  readonly #stop = new AbortController();
  #state: ConversationState | undefined;
  #trouble: unknown;

  constructor(conversations: Client['conversations']) {
    this.#conversations = conversations;
  }

  get state(): ConversationState | undefined {
    return this.#state;
  }

  /** Resolves when the copy has caught up with the server. */
  async join(conversation: string): Promise<void> {
    this.id = conversation;
    const now = await this.#conversations.get(conversation, { messages: 0 });
    this.model = now.model;
    for (const run of now.runs) this.runs.set(run.run, run);
    void this.#follow(conversation).catch((error: unknown) => this.fail(error));
    await this.untilSeen(() => (this.#state?.seq ?? 0) >= now.seq);
  }

  close(): void {
    this.#stop.abort();
  }

  /** The copy can't be kept up to date. Whatever waits for it is rejected. */
  fail(error: unknown): void {
    this.#trouble = error;
    this.changes.changed();
  }

  async untilSeen(look: () => boolean): Promise<void> {
    await this.changes.until(() => {
      if (this.#trouble !== undefined) throw this.#trouble;
      return look() ? true : undefined;
    });
  }

  /**
   * The status, but only once its message has arrived: the reply of an ended run, or the text of its
   * questions.
   */
  phaseOf({ run, question }: AwaitedRun): RunPhase | undefined {
    const { standing, questions = [] } = this.runs.get(run) ?? {};
    if (questions.some(({ id: open }) => open === question)) return undefined;
    const said = [...(this.#state?.messages.values() ?? [])].filter((message) => message.run === run);
    const isSaid = {
      ended: () => said.some(({ kind }) => kind === 'reply'),
      waiting: () => questions.every((open) => said.some((message) => message.question === open.id)),
      background: () => true,
    };
    return standing !== undefined && isSaid[standing]() ? standing : undefined;
  }

  runOf(run: string, message: string): ConversationRun {
    return (
      this.runs.get(run) ?? { run, goal: this.#textOf(message), message, outcome: 'open', questions: [] }
    );
  }

  async #follow(conversation: string): Promise<void> {
    for await (const news of this.#conversations.follow(conversation, { signal: this.#stop.signal })) {
      if (news.kind === 'run') this.runs.set(news.run.run, news.run);
      if (news.kind === 'event') {
        this.#state = applyConversation(this.#state, news.event);
        if (news.event.type === 'message_written') this.#note(news.event.data.message);
        if (news.event.type === 'model_chosen') this.model = news.event.data.model;
      }
      this.changes.changed();
    }
  }

  /**
   * Marks a run as ended when its reply arrives. After a reconnect, the server does not send the status of
   * ended runs.
   */
  #note({ run = '', kind, outcome, tally }: Message): void {
    const known = this.runs.get(run) ?? this.#missedRun(run);
    if (known === undefined || kind !== 'reply' || outcome === undefined || outcome === 'completed') return;
    const { standing: _, progress = tally, ...rest } = known;
    this.runs.set(run, { ...rest, outcome, standing: 'ended', questions: [], ...(progress && { progress }) });
  }

  /** A run that started, and perhaps ended, while the stream was disconnected. */
  #missedRun(run: string): ConversationRunStatus | undefined {
    const message = this.#state?.runs.get(run);
    if (message === undefined) return undefined;
    return { run, goal: this.#textOf(message), message, outcome: 'open', driving: 'idle', questions: [] };
  }

  #textOf(message: string): string {
    return this.#state?.messages.get(message)?.text ?? '';
  }
}
