import type { Dandori, Leaving } from '../app/dandori.ts';
import type { Config } from '../config/config.ts';
import { type Conversation, unfinished } from '../conversation/conversation.ts';
import { foldConversation } from '../conversation/state.ts';
import { DandoriError } from '../model/error.ts';
import { type ConversationSummary, listAll } from '../store/journal.ts';
import type { Report } from '../views/report.ts';
import { mayAct, type User } from './access.ts';

/**
 * The conversations that are open in this process.
 *
 * O1  A conversation is open here once, however many speak and listen.
 * O2  Its runs are driven with the others, under its own rules: its model, its reports.
 * O3  One is closed only while nobody works with it, and nothing is lost by it: whoever needs it opens it again.
 */
export interface OpenConversations {
  /** Opens it where it is not open, and keeps it open for as long as the work takes. */
  use<T>(id: string, work: Work<T>): Promise<T>;
  useNew<T>(options: Beginning, work: Work<T>): Promise<T>;
  drive(run: string, leaving?: Leaving): Promise<Report>;
  /** The conversation of a run that was woken here. */
  of(run: string): string | undefined;
  /**
   * Opens those in which something was left undone: a run that was not begun, or an end that was not reported. Called
   * again, it looks only at those that it could not look at before.
   */
  takeUp(): Promise<void>;
}

type Work<T> = (conversation: Conversation) => Promise<T>;

interface Beginning {
  readonly userId: string | undefined;
  readonly key: string | undefined;
}

interface Options {
  readonly dandori: Pick<
    Dandori,
    'conversation' | 'conversations' | 'conversationEvents' | 'drive' | 'events'
  >;
  readonly wake: (run: string) => void;
  /** Who listens needs it open. */
  readonly isFollowed: (id: string) => boolean;
  readonly onOpen: (conversation: Conversation) => void;
  readonly onTrouble: (conversation: string, error: unknown) => void;
  /** So many may be open without anybody working with them. */
  readonly mostIdle?: number;
}

interface Open {
  readonly opening: Promise<Conversation>;
  users: number;
}

const MOST_IDLE = 100;

export function createOpenConversations(options: Options): OpenConversations {
  const { dandori, wake, isFollowed, onOpen, onTrouble, mostIdle = MOST_IDLE } = options;
  const open = new Map<string, Open>();
  const conversationOf = new Map<string, string>();
  /** Those that could not be looked at; undefined before all were listed. */
  let left: Set<string> | undefined;

  const wakeIn = (run: string, id: string) => {
    conversationOf.set(run, id);
    wake(run);
  };

  function add(id: string, opening: Promise<Conversation>): Open {
    const entry: Open = { opening, users: 0 };
    open.set(id, entry);
    opening.then(onOpen, () => open.delete(id));
    return entry;
  }

  async function useOpen<T>(id: string, entry: Open, work: Work<T>): Promise<T> {
    entry.users++;
    try {
      return await work(await entry.opening);
    } finally {
      entry.users--;
      // Those that were not used for longest come first.
      if (open.delete(id)) open.set(id, entry);
      await closeIdle();
    }
  }

  async function closeIdle(): Promise<void> {
    const idle = [...open].filter(([id, { users }]) => users === 0 && !isFollowed(id));
    for (const [id, { opening }] of idle.slice(0, Math.max(0, idle.length - mostIdle))) {
      open.delete(id);
      await (await opening).close();
    }
  }

  const use: OpenConversations['use'] = (id, work) =>
    useOpen(id, open.get(id) ?? add(id, dandori.conversation(id, { wake: wakeIn })), work);

  return {
    use,
    async useNew({ userId, key }, work) {
      const conversation = await dandori.conversation(undefined, {
        ...(userId !== undefined && { userId }),
        ...(key !== undefined && { key }),
        wake: wakeIn,
      });
      const { id } = conversation;
      const known = open.get(id);
      // The same key, at the same time or from before.
      if (known !== undefined) await conversation.close();
      return useOpen(id, known ?? add(id, Promise.resolve(conversation)), work);
    },
    async drive(run, leaving) {
      const id = conversationOf.get(run) ?? (await ownerOf(run));
      if (id !== undefined) conversationOf.set(run, id);
      const driven =
        id === undefined ? undefined : await use(id, (it) => it.drive(run, leaving)).catch(ifGone);
      // A fork of its run is no run of the conversation.
      const report = driven ?? (await dandori.drive(run, leaving));
      if (!['open', 'waiting', 'paused'].includes(report.outcome)) conversationOf.delete(run);
      return report;
    },
    of: (run) => conversationOf.get(run),
    async takeUp() {
      const ids = left ?? (await all());
      left ??= new Set(ids);
      for (const id of ids) {
        try {
          await takeUpOne(id);
          left.delete(id);
        } catch (error) {
          // Only a person can repair that; until then nothing is gained by looking again.
          if (error instanceof DandoriError && error.code === 'journal-damaged') left.delete(id);
          onTrouble(id, error);
        }
      }
    },
  };

  async function all(): Promise<string[]> {
    const ids: string[] = [];
    const idOf = ({ conversation }: ConversationSummary) => conversation;
    for await (const found of listAll({ list: dandori.conversations, idOf })) ids.push(idOf(found));
    return ids;
  }

  async function takeUpOne(id: string): Promise<void> {
    const state = foldConversation(await dandori.conversationEvents(id));
    if (unfinished(state).length > 0) await use(id, async () => {});
  }

  async function ownerOf(run: string): Promise<string | undefined> {
    const [first] = await dandori.events(run);
    return first?.type === 'run_started' ? first.data.conversation : undefined;
  }
}

/** What its conversation would have been told nobody waits for any more. */
function ifGone(error: unknown): undefined {
  if (!(error instanceof DandoriError && error.code === 'conversation-not-found')) throw error;
}

/** What another model costs is for who runs the server to say. */
export function refuseOtherModel(wanted: string, user: User, { model }: Pick<Config, 'model'>): void {
  const known = [model, model?.fallback].flatMap((one) =>
    one === undefined ? [] : [`${one.provider}/${one.name}`, one.name],
  );
  if (mayAct(user, 'admin') || known.includes(wanted)) return;
  throw new DandoriError('forbidden', `Only an admin may choose a model that is not configured: ${wanted}.`, {
    fix: known.length === 0 ? 'Leave it out.' : `Choose ${known.join(', ')}.`,
  });
}

interface Asked {
  readonly reason: string;
  readonly by: string | undefined;
}

/** Tells all runs that have not ended, and says which. One that has ended meanwhile needs no telling. */
export async function cancelAll(
  conversation: Pick<Conversation, 'runs' | 'cancel'>,
  { reason, by }: Asked,
): Promise<string[]> {
  const told: string[] = [];
  for (const { run, outcome } of conversation.runs()) {
    if (!['open', 'waiting', 'paused'].includes(outcome)) continue;
    try {
      await conversation.cancel(run, reason, { by });
      told.push(run);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'run-ended')) throw error;
    }
  }
  return told;
}
