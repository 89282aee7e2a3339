import type { ConversationClient, OpenOptions } from '../../app/index.ts';
import { createClient, type RunUpdate } from '../../client/client.ts';
import { loadConfig } from '../../config/index.ts';
import { assertNever, DandoriError } from '../../model/error.ts';
import { isUnfinished } from '../../model/event.ts';
import { writePlanAsJson } from '../../plan/write.ts';
import { chosenLanguage, systemLanguage } from '../language.ts';
import type { Workplace } from '../workplace.ts';
import { openRemoteConversation } from './remote-conversation.ts';

/** The server's largest page size. */
const LARGEST_PAGE = 200;

/**
 * The runs of a Dandori server. The server drives them, and the caller gets the same events as from a local
 * driver.
 */
export async function openRemote(
  { configFile, cwd = process.cwd(), tools: areToolsWanted = true, onEvent, onLive }: OpenOptions,
  { server, token }: { readonly server: string; readonly token?: string },
): Promise<Workplace> {
  const config = await loadConfig({ file: configFile, cwd, env: process.env, use: 'read' });
  const language = chosenLanguage(process.env) ?? config.language ?? systemLanguage(process.env);
  const inLanguage: typeof fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...(init?.headers as object), 'Accept-Language': language } });
  const connection = { url: addressIn(server), ...(token !== undefined && { token }), fetch: inLanguage };
  const client = createClient(connection);
  // A chat waits for the server without a time limit.
  const talking = createClient({ ...connection, patience: Number.POSITIVE_INFINITY });
  const { tools, missing } = areToolsWanted ? await client.tools() : { tools: [], missing: [] };
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const feed = new RunFeed({ onEvent, onLive });
  const opened = new Set<ConversationClient>();
  const workplace: Workplace = {
    config,
    mindName: 'server',
    async start(
      goal,
      {
        userId: _,
        isStricterOnly: _server,
        isValidOnly: _always,
        language: _header,
        isLanguageChosen: _chosen,
        onStart,
        ...options
      } = {},
    ) {
      const run = await client.start(goal, options);
      if (onStart === undefined) return run;
      // The server may have journaled more events. The caller follows the run from the first event on, as
      // with a local run.
      const [first] = await client.events(run);
      if (first === undefined) return run;
      feed.saw(run, first.seq);
      onStart([first]);
      return run;
    },
    async drive(run) {
      const { driving, report } = await client.run(run);
      if (driving === 'idle' && ['open', 'waiting'].includes(report.outcome)) await client.resume(run);
      return client.settled(run, { after: feed.lastSeen(run), onUpdate: feed.pass });
    },
    answer: (run, question, answer, { by: _, ...how } = {}) => client.answer(run, question, answer, how),
    approve: (run, question, { tasks } = {}) =>
      client.approve(run, { question, plan: tasks && writePlanAsJson({ goal: 'edited', tasks }) }),
    reject: (run, question, { reason } = {}) => client.reject(run, { question, reason }),
    approvals: () => client.approvals(),
    revokeApproval: (id) => client.revokeApproval(id),
    async questions(run) {
      if (run === undefined) return client.questions();
      // The list of all is limited.
      const { goal, questions, outcome } = (await client.run(run)).report;
      return isUnfinished(outcome) ? questions.map((question) => ({ run, goal, ...question })) : [];
    },
    tell: (run, text) => client.tell(run, text),
    pause: (run, { reason } = {}) => client.pause(run, reason),
    continue: (run) => client.resume(run),
    cancel: (run, reason) => client.cancel(run, reason),
    addBudget: (run, { by: _, ...amounts }) => client.addBudget(run, amounts),
    lift: (run) => client.lift(run),
    rate: (run, { rating, comment }) => client.rate(run, { rating, comment }),
    report: async (run) => (await client.run(run)).report,
    async events(run, after = 0) {
      const events = await client.events(run, after);
      feed.saw(run, events.at(-1)?.seq ?? 0);
      return events;
    },
    watch(run, changed) {
      const stop = new AbortController();
      const read = async () => {
        for await (const { kind } of client.follow(run, { after: feed.lastSeen(run), signal: stop.signal }))
          if (kind === 'event') changed();
      };
      void read().catch(() => changed());
      return () => stop.abort();
    },
    runs: ({ limit = 50, before } = {}) =>
      upTo(limit, before, async (page) => {
        const { runs, next } = await client.runs(page);
        return { items: runs, next };
      }),
    // Only admins of the server may see why a run is damaged.
    statistics: ({ since } = {}) => client.statistics({ since }),
    fork: (run, { at, from, answers, tasks }) =>
      client.fork(run, {
        at,
        from,
        answers,
        plan: tasks && writePlanAsJson({ goal: 'fork', tasks }),
        drive: false,
      }),
    diff: (run, other) => client.diff(run, other),
    history: (run) => client.history(run),
    historyLines: (run) => client.historyLines(run),
    async conversation(id) {
      const options = { client: talking, onUpdate: feed.pass, seen: feed.lastSeen };
      const conversation = await openRemoteConversation(id, options);
      opened.add(conversation);
      return conversation;
    },
    async conversations(page) {
      const { limit = Number.POSITIVE_INFINITY, before } = page ?? {};
      const found = await upTo(limit, before, async (asked) => {
        const { conversations, next } = await client.conversations.list(asked);
        return { items: conversations, next };
      });
      return page === undefined ? found.sort((one, other) => other.lastAt - one.lastAt) : found;
    },
    replay: (run, options) => client.replay(run, options),
    record: (run) => client.record(run),
    doctor: ({ run } = {}) => client.doctor(run),
    tools: () => known,
    missing: () => missing,
    async close() {
      for (const conversation of opened) await conversation.close();
    },
    [Symbol.asyncDispose]: () => workplace.close(),
  };

  return workplace;
}

/** Passes on the news of runs, and remembers what the caller has seen of them. */
class RunFeed {
  readonly #listening: Pick<OpenOptions, 'onEvent' | 'onLive'>;
  /** The last event of each run. `drive` continues after it. */
  readonly #seen = new Map<string, number>();
  /** The part of the unfinished answer that the caller has already received. */
  readonly #written = new Map<string, string>();

  constructor(listening: Pick<OpenOptions, 'onEvent' | 'onLive'>) {
    this.#listening = listening;
  }

  readonly lastSeen = (run: string): number => this.#seen.get(run) ?? 0;

  /** The caller has all events of the run up to this one. */
  saw(run: string, seq: number): void {
    this.#seen.set(run, Math.max(this.lastSeen(run), seq));
  }

  readonly pass = (told: RunUpdate): void => {
    switch (told.kind) {
      case 'live':
        if (told.live.type === 'answer_text') this.#tellText(told.live.run, told.live.text);
        else this.#listening.onLive?.(told.live);
        return;
      case 'answer':
        this.#tellText(told.run, told.text.slice((this.#written.get(told.run) ?? '').length));
        return;
      case 'event': {
        const { type, run, seq } = told.event;
        if (type === 'decision_made' || type === 'decision_failed') this.#written.delete(run);
        this.#seen.set(run, seq);
        this.#listening.onEvent?.(told.event);
        return;
      }
      case 'driving':
        return;
      default:
        assertNever(told);
    }
  };

  #tellText(run: string, text: string): void {
    this.#written.set(run, (this.#written.get(run) ?? '') + text);
    if (text !== '') this.#listening.onLive?.({ type: 'answer_text', run, text });
  }
}

interface ServerPage {
  readonly limit: number;
  readonly before: string | undefined;
}

/** The first `limit` items, from as many pages as needed. */
async function upTo<T>(
  limit: number,
  before: string | undefined,
  read: (page: ServerPage) => Promise<{ items: readonly T[]; next?: string | undefined }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let from = before; found.length < limit; ) {
    const { items, next } = await read({ limit: Math.min(limit - found.length, LARGEST_PAGE), before: from });
    found.push(...items);
    if (next === undefined) break;
    from = next;
  }
  return found;
}

function addressIn(server: string): string {
  if (/^https?:\/\//i.test(server) && URL.canParse(server)) return server;
  throw new DandoriError('usage', `--server takes an address, not "${server}".`, {
    fix: 'Give one such as http://127.0.0.1:4310.',
  });
}
