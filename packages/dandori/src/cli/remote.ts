import type { Dandori, OpenOptions } from '../app/dandori.ts';
import { createClient, type Followed } from '../client/client.ts';
import { loadConfig } from '../config/load.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { pathExpression } from '../history/lift.ts';
import { DandoriError } from '../model/error.ts';
import type { Compiled } from '../plan/compile.ts';
import { writePlanAsJson } from '../plan/write.ts';
import { openRemoteConversation } from './remote-conversation.ts';

/** More the server gives page by page. */
const LARGEST_PAGE = 200;

/**
 * A server with the face of a Dandori in this process, so that every command works on either. Driving is following: the
 * server does the work, and what it tells is what a driver here would have told.
 */
export async function openRemote(
  { configFile, cwd = process.cwd(), tools: areToolsWanted = true, onEvent, onLive }: OpenOptions,
  { server, token }: { readonly server: string; readonly token?: string },
): Promise<Dandori> {
  const config = await loadConfig({ file: configFile, cwd, env: process.env, use: 'read' });
  const connection = { url: addressIn(server), ...(token !== undefined && { token }) };
  const client = createClient(connection);
  // Who talks sits there and waits for the server, however long that is gone.
  const talking = createClient({ ...connection, patience: Number.POSITIVE_INFINITY });
  const { tools, missing } = areToolsWanted ? await client.tools() : { tools: [], missing: [] };
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  /** What the caller has been told of each run, so that a drive goes on behind it. */
  const seen = new Map<string, number>();
  /** What was told of the answer that is being written. */
  const written = new Map<string, string>();
  const opened = new Set<Conversation>();
  const tellText = (run: string, text: string) => {
    written.set(run, (written.get(run) ?? '') + text);
    if (text !== '') onLive?.({ type: 'answer_text', run, text });
  };
  const note = (news: Followed) => {
    if (news.kind === 'live' && news.live.type === 'answer_text') tellText(news.live.run, news.live.text);
    else if (news.kind === 'live') onLive?.(news.live);
    else if (news.kind === 'answer')
      tellText(news.run, news.text.slice((written.get(news.run) ?? '').length));
    if (news.kind !== 'event') return;
    const { type, run } = news.event;
    if (type === 'decision_made' || type === 'decision_failed') written.delete(run);
    seen.set(news.event.run, news.event.seq);
    onEvent?.(news.event);
  };
  const dandori: Dandori = {
    config,
    mindName: 'server',
    start: (
      goal,
      { userId: _, isStricterOnly: _server, isValidOnly: _always, onStart: _told, ...options } = {},
    ) => client.start(goal, definedIn(options)),
    async drive(run) {
      const { driving, report } = await client.run(run);
      if (driving === 'idle' && ['open', 'waiting'].includes(report.outcome)) await client.resume(run);
      return client.settled(run, { after: seen.get(run) ?? 0, onNews: note });
    },
    run: async (goal, options) => dandori.drive(await dandori.start(goal, options)),
    answer: (run, question, answer, { by: _, ...how } = {}) =>
      client.answer(run, question, answer, definedIn(how)),
    approve: (run, question, { tasks } = {}) =>
      client.approve(run, definedIn({ question, plan: tasks && writePlanAsJson({ goal: 'edited', tasks }) })),
    reject: (run, question, { reason } = {}) => client.reject(run, definedIn({ question, reason })),
    async questions(run) {
      const found = await client.questions();
      return run === undefined ? found : found.filter((question) => question.run === run);
    },
    tell: (run, text) => client.tell(run, text),
    pause: (run, { reason } = {}) => client.pause(run, reason),
    continue: (run) => client.resume(run),
    // The server looks at it.
    misfit: () => undefined,
    cancel: (run, reason) => client.cancel(run, reason),
    addBudget: (run, { by: _, ...amounts }) => client.addBudget(run, amounts),
    lift: (run) => client.lift(run),
    result: (run, task, { path, ...page }) =>
      client.result(run, task, { path: pathExpression(path), ...page }),
    rate: (run, { rating, comment }) =>
      client.rate(run, { rating, ...(comment !== undefined && { comment }) }),
    report: async (run) => (await client.run(run)).report,
    async events(run, after = 0) {
      const events = await client.events(run, after);
      seen.set(run, Math.max(seen.get(run) ?? 0, events.at(-1)?.seq ?? 0));
      return events;
    },
    watch(run, changed) {
      const stop = new AbortController();
      void watch(run, changed, stop.signal).catch(() => changed());
      return () => stop.abort();
    },
    runs: ({ limit = 50, before } = {}) =>
      allPages({ limit, ...(before !== undefined && { before }) }, async (page) => {
        const { runs, next } = await client.runs(definedIn(page));
        return { items: runs, next };
      }),
    statistics: async (options = {}) => ({
      ...(await client.statistics(options.since === undefined ? {} : { since: options.since })),
      damaged: [],
    }),
    fork: (run, { at, answers, tasks }) =>
      client.fork(
        run,
        definedIn({ at, answers, plan: tasks && writePlanAsJson({ goal: 'fork', tasks }), drive: false }),
      ),
    diff: (run, other) => client.diff(run, other),
    history: (run) => client.history(run),
    async conversation(id) {
      const options = { client: talking, onNews: note, seen: (run: string) => seen.get(run) ?? 0 };
      const conversation = await openRemoteConversation(id, options);
      opened.add(conversation);
      return conversation;
    },
    async conversations(page) {
      const found = await allPages(page, async ({ limit, before }) => {
        const { conversations, next } = await client.conversations.list(definedIn({ limit, before }));
        return { items: conversations, next };
      });
      return page === undefined ? found.sort((one, other) => other.lastAt - one.lastAt) : found;
    },
    conversationEvents: () => notFromHere('chat'),
    watchConversation: () => notFromHere('chat'),
    replay: (run, { to } = {}) => client.replay(run, definedIn({ to })),
    record: (run) => client.record(run),
    doctor: ({ run, repair } = {}) =>
      repair === undefined ? client.doctor(run) : notFromHere('doctor --repair'),
    prune: () => notFromHere('prune'),
    tools: () => known,
    missing: () => missing,
    // Whether it compiles is all that comes over the wire.
    check: async (tasks, within) =>
      (await client.check(writePlanAsJson({ goal: 'check', tasks }), within)) as unknown as Compiled,
    async close() {
      for (const conversation of opened) await conversation.close();
    },
    [Symbol.asyncDispose]: () => dandori.close(),
  };

  async function watch(run: string, changed: () => void, signal: AbortSignal): Promise<void> {
    for await (const { kind } of client.follow(run, { after: seen.get(run) ?? 0, signal }))
      if (kind === 'event') changed();
  }

  return dandori;
}

interface Page {
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
}

/** What the server gives page by page. */
async function allPages<T>(
  { limit = Number.POSITIVE_INFINITY, before }: Page = {},
  read: (page: Page) => Promise<{ items: readonly T[]; next: string | undefined }>,
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

/** Options whose value is undefined are not sent. */
function definedIn<T extends object>(options: T): { [key in keyof T]: Exclude<T[key], undefined> } {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [key in keyof T]: Exclude<T[key], undefined> };
}

function addressIn(server: string): string {
  if (/^https?:\/\//i.test(server) && URL.canParse(server)) return server;
  throw new DandoriError('usage', `--server takes an address, not "${server}".`, {
    fix: 'Give one such as http://127.0.0.1:4310.',
  });
}

function notFromHere(command: string): never {
  throw new DandoriError('usage', `\`dandori ${command}\` works on the runs of this machine only.`, {
    fix: 'Run it where the server runs, without --server.',
  });
}
