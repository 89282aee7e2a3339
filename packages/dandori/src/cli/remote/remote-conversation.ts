import type { ConversationClient } from '../../app/index.ts';
import type { Client, RunUpdate } from '../../client/client.ts';
import { LIGHT_TIME, plansOf, type RunPhase, undelivered } from '../../conversation/index.ts';
import { type AwaitedRun, ConversationCopy } from './conversation-copy.ts';

interface Options {
  readonly client: Client;
  /** Receives the messages of the run that the user waits for. */
  readonly onUpdate: (news: RunUpdate) => void;
  /** The last event of a run that the caller already knows. */
  readonly seen: (run: string) => number;
}

/** A conversation of a server, behind the interface of a local one. */
export async function openRemoteConversation(
  given: string | undefined,
  options: Options,
): Promise<ConversationClient> {
  const { conversations, ...client } = options.client;
  const copy = new ConversationCopy(conversations);
  const released = (awaited: AwaitedRun) => untilReleased(awaited, copy, options);
  /** The empty id of a conversation that has not started. The server refuses requests with it. */
  const here = () => copy.id ?? '';
  let chosen: string | undefined;

  const conversation: ConversationClient = {
    get id() {
      return here();
    },
    get state() {
      return copy.state;
    },
    async say(text, { onBegun, key = crypto.randomUUID(), seen, attachments } = {}) {
      if (copy.id === undefined) {
        const begun = await conversations.begin(text, {
          key,
          attachments,
          ...(chosen !== undefined && { model: chosen }),
        });
        await copy.join(begun.conversation);
        onBegun?.(begun.run);
        return { kind: 'begun', run: begun.run, standing: await released(begun) };
      }
      const heard = await conversations.say(copy.id, text, { key, seen, attachments });
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
    messages: () => [...(copy.state?.messages.values() ?? [])],
    undelivered: () => (copy.state === undefined ? [] : undelivered(copy.state)),
    async acknowledge(message) {
      const fresh = await conversations.acknowledge(here(), [message]);
      await copy.untilSeen(() => copy.state?.delivered.has(message) === true);
      return fresh.includes(message);
    },
    runs: () => [...(copy.state?.runs ?? [])].map(([run, message]) => copy.runOf(run, message)),
    questions: () =>
      [...copy.runs.values()].flatMap(({ run, goal, questions }) =>
        questions.map((question) => ({ run, goal, question })),
      ),
    plans: () => plansOf(copy.state),
    async activatePlan(plan) {
      const active = await conversations.activatePlan(here(), plan);
      await copy.untilSeen(() => copy.state?.activePlan === active.run);
      return active;
    },
    report: async (run) => (await client.run(run)).report,
    get model() {
      return copy.model ?? chosen ?? 'server';
    },
    async useModel(name) {
      if (copy.id === undefined) chosen = name;
      else copy.model = await conversations.useModel(copy.id, name);
    },
    watch: copy.changes.watch,
    settled: () =>
      copy.untilSeen(() =>
        conversation.runs().every(({ outcome, problem }) => outcome !== 'open' || problem !== undefined),
      ),
    close: async () => copy.close(),
    [Symbol.asyncDispose]: () => conversation.close(),
  };
  if (given !== undefined) await copy.join(given);
  return conversation;
}

/** Resolves when the run has ended, waits for an answer, or takes longer than a user waits at the prompt. */
async function untilReleased(
  awaited: AwaitedRun,
  copy: ConversationCopy,
  options: Options,
): Promise<RunPhase> {
  const watching = new AbortController();
  const isToldOf = followRun(awaited.run, watching.signal, options).catch((error: unknown) =>
    copy.fail(error),
  );
  let isLong = false;
  const timer = setTimeout(() => {
    isLong = true;
    copy.changes.changed();
  }, LIGHT_TIME);
  let phase: RunPhase | undefined;
  try {
    await copy.untilSeen(() => {
      phase = copy.phaseOf(awaited) ?? (isLong ? 'background' : undefined);
      return phase !== undefined;
    });
    // Wait for the end of the streamed answer.
    if (phase === 'ended') await isToldOf;
    return phase ?? 'background';
  } finally {
    clearTimeout(timer);
    watching.abort();
  }
}

/** Resolves when the run ends or the signal is aborted. */
async function followRun(
  run: string,
  signal: AbortSignal,
  { client, onUpdate, seen }: Options,
): Promise<void> {
  for await (const news of client.follow(run, { after: seen(run), signal })) {
    onUpdate(news);
    if (news.kind === 'event' && news.event.type === 'run_finished') return;
  }
}
