import type { ConversationClient } from '../app/index.ts';
import type { Client, RunUpdate } from '../client/client.ts';
import {
  applyConversation,
  type ConversationRun,
  type ConversationState,
  createChanges,
  LIGHT_TIME,
  plansOf,
  type RunPhase,
  undelivered,
} from '../conversation/index.ts';
import type { Message } from '../model/conversation.ts';
import type { ConversationRunStatus } from '../server/index.ts';

interface Options {
  readonly client: Client;
  /** Receives the messages of the run that the user waits for. */
  readonly onUpdate: (news: RunUpdate) => void;
  /** The last event of a run that the caller already knows. */
  readonly seen: (run: string) => number;
}

/** The run of a message. `question` is the one that the message answered. */
interface AwaitedRun {
  readonly run: string;
  readonly question?: string;
}

/**
 * A conversation of a server, behind the interface of a local one. The events from the server are folded
 * again here.
 */
export async function openRemoteConversation(
  given: string | undefined,
  { client: { conversations, ...client }, onUpdate, seen }: Options,
): Promise<ConversationClient> {
  const { changed, until, watch } = createChanges();
  const stop = new AbortController();
  const runs = new Map<string, ConversationRunStatus>();
  let id = given;
  let model: string | undefined;
  let state: ConversationState | undefined;
  let trouble: unknown;

  /** Resolves when the local state has caught up with the server. */
  async function join(conversation: string): Promise<void> {
    id = conversation;
    const now = await conversations.get(conversation, { messages: 0 });
    model = now.model;
    for (const run of now.runs) runs.set(run.run, run);
    void follow(conversation).catch((error: unknown) => {
      trouble = error;
      changed();
    });
    await untilSeen(() => (state?.seq ?? 0) >= now.seq);
  }

  async function follow(conversation: string): Promise<void> {
    for await (const news of conversations.follow(conversation, { signal: stop.signal })) {
      if (news.kind === 'run') runs.set(news.run.run, news.run);
      if (news.kind === 'event') {
        state = applyConversation(state, news.event);
        if (news.event.type === 'message_written') note(news.event.data.message);
        if (news.event.type === 'model_chosen') model = news.event.data.model;
      }
      changed();
    }
  }

  /**
   * Marks a run as ended when its reply arrives. After a reconnect, the server does not send the status of
   * ended runs.
   */
  function note({ run = '', kind, outcome, tally }: Message): void {
    const known = runs.get(run) ?? missedRun(run);
    if (known === undefined || kind !== 'reply' || outcome === undefined || outcome === 'completed') return;
    const { standing: _, progress = tally, ...rest } = known;
    runs.set(run, { ...rest, outcome, standing: 'ended', questions: [], ...(progress && { progress }) });
  }

  /** A run that started, and perhaps ended, while the stream was disconnected. */
  function missedRun(run: string): ConversationRunStatus | undefined {
    const message = state?.runs.get(run);
    if (message === undefined) return undefined;
    const goal = state?.messages.get(message)?.text ?? '';
    return { run, goal, message, outcome: 'open', driving: 'idle', questions: [] };
  }

  async function untilSeen(look: () => boolean): Promise<void> {
    await until(() => {
      if (trouble !== undefined) throw trouble;
      return look() ? true : undefined;
    });
  }

  async function released(awaited: AwaitedRun): Promise<RunPhase> {
    const watching = new AbortController();
    const isToldOf = followRun(awaited.run, watching.signal);
    let isLong = false;
    const timer = setTimeout(() => {
      isLong = true;
      changed();
    }, LIGHT_TIME);
    let standing: RunPhase | undefined;
    try {
      await untilSeen(() => {
        standing = phaseOf(awaited) ?? (isLong ? 'background' : undefined);
        return standing !== undefined;
      });
      // Wait for the end of the streamed answer.
      if (standing === 'ended') await isToldOf;
      return standing ?? 'background';
    } finally {
      clearTimeout(timer);
      watching.abort();
    }
  }

  /** Resolves when the run ends or the signal is aborted. */
  async function followRun(run: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const news of client.follow(run, { after: seen(run), signal })) {
        onUpdate(news);
        if (news.kind === 'event' && news.event.type === 'run_finished') return;
      }
    } catch (error) {
      trouble = error;
      changed();
    }
  }

  /**
   * The status, but only once its message has arrived: the reply of an ended run, or the text of its
   * questions.
   */
  function phaseOf({ run, question }: AwaitedRun): RunPhase | undefined {
    const { standing, questions = [] } = runs.get(run) ?? {};
    if (questions.some(({ id: open }) => open === question)) return undefined;
    const said = [...(state?.messages.values() ?? [])].filter((message) => message.run === run);
    const isSaid = {
      ended: () => said.some(({ kind }) => kind === 'reply'),
      waiting: () => questions.every((open) => said.some((message) => message.question === open.id)),
      background: () => true,
    };
    return standing !== undefined && isSaid[standing]() ? standing : undefined;
  }

  function runOf(run: string, message: string): ConversationRun {
    const goal = state?.messages.get(message)?.text ?? '';
    return runs.get(run) ?? { run, goal, message, outcome: 'open', questions: [] };
  }

  /** The empty id of a conversation that has not started. The server refuses requests with it. */
  const here = () => id ?? '';
  let chosen: string | undefined;

  const conversation: ConversationClient = {
    get id() {
      return here();
    },
    get state() {
      return state;
    },
    async say(text, { onBegun, key = crypto.randomUUID(), seen, attachments } = {}) {
      if (id === undefined) {
        const begun = await conversations.begin(text, {
          key,
          attachments,
          ...(chosen !== undefined && { model: chosen }),
        });
        await join(begun.conversation);
        onBegun?.(begun.run);
        return { kind: 'begun', run: begun.run, standing: await released(begun) };
      }
      const heard = await conversations.say(id, text, { key, seen, attachments });
      if (heard.kind === 'unclear') return heard;
      onBegun?.(heard.run);
      return { ...heard, standing: await released(heard) };
    },
    async answer(asked, answer, { comment, declined } = {}) {
      await conversations.answer(here(), {
        ...asked,
        answer,
        ...(comment !== undefined && { comment }),
        ...(declined !== undefined && { declined }),
      });
      return { kind: 'answered', ...asked, standing: await released(asked) };
    },
    tell: (run, text) => conversations.tell(here(), { run, text }),
    async cancel(run, reason) {
      await conversations.cancel(here(), { run, reason });
    },
    messages: () => [...(state?.messages.values() ?? [])],
    undelivered: () => (state === undefined ? [] : undelivered(state)),
    async acknowledge(message) {
      const fresh = await conversations.acknowledge(here(), [message]);
      await untilSeen(() => state?.delivered.has(message) === true);
      return fresh.includes(message);
    },
    runs: () => [...(state?.runs ?? [])].map(([run, message]) => runOf(run, message)),
    questions: () =>
      [...runs.values()].flatMap(({ run, goal, questions }) =>
        questions.map((question) => ({ run, goal, question })),
      ),
    plans: () => plansOf(state),
    async activatePlan(plan) {
      const active = await conversations.activatePlan(here(), plan);
      await untilSeen(() => state?.activePlan === active.run);
      return active;
    },
    report: async (run) => (await client.run(run)).report,
    get model() {
      return model ?? chosen ?? 'server';
    },
    async useModel(name) {
      if (id === undefined) chosen = name;
      else model = await conversations.useModel(id, name);
    },
    watch,
    settled: () =>
      untilSeen(() =>
        conversation.runs().every(({ outcome, problem }) => outcome !== 'open' || problem !== undefined),
      ),
    close: async () => stop.abort(),
    [Symbol.asyncDispose]: () => conversation.close(),
  };
  if (given !== undefined) await join(given);
  return conversation;
}
