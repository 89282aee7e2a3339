import type { Runtime, StopSignals } from '../app/index.ts';
import type { Config } from '../config/index.ts';
import { type Conversation, foldConversation, unfinished } from '../conversation/index.ts';
import { DandoriError } from '../model/error.ts';
import { isUnfinished } from '../model/event.ts';
import { allConversations } from '../store/index.ts';
import type { Report } from '../views/report.ts';
import { mayAct, type User } from './access.ts';

/**
 * The conversations that are open in this process.
 *
 * O1  A conversation is opened at most once, however many clients use it.
 * O2  Its runs are driven in the same queue as other runs, but with the conversation's own model and reports.
 * O3  A conversation is closed only while it is idle. The next request opens it again, and nothing is lost.
 */
export interface OpenConversations {
  /** Opens the conversation if needed, and keeps it open until `work` is done. */
  use<T>(id: string, work: Work<T>): Promise<T>;
  useNew<T>(options: Beginning, work: Work<T>): Promise<T>;
  drive(run: string, leaving?: StopSignals): Promise<Report>;
  /** The conversation of a run that this process has woken. */
  of(run: string): string | undefined;
  /**
   * Opens the conversations that have unfinished work: a run that was not started, or an end that was not
   * reported. Looks at these, or at all of them. A second call for all checks only those that the first one
   * failed to read.
   */
  resume(ids?: readonly string[]): Promise<void>;
}

type Work<T> = (conversation: Conversation) => Promise<T>;

interface Beginning {
  readonly userId: string | undefined;
  readonly key: string | undefined;
}

interface Options {
  readonly dandori: Pick<
    Runtime,
    'conversation' | 'conversations' | 'conversationEvents' | 'drive' | 'firstEvent'
  >;
  readonly wake: (run: string) => void;
  /** Whether a client listens to the conversation. Then it must stay open. */
  readonly isFollowed: (id: string) => boolean;
  /** What another process says about a run, for one that has not begun yet. */
  readonly conversationOf?: ((run: string) => string | undefined) | undefined;
  readonly onOpen: (conversation: Conversation) => void;
  readonly onTrouble: (conversation: string, error: unknown) => void;
  /** How many idle conversations may stay open. */
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
  /** Conversations that could not be read yet. Undefined until all have been listed. */
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
      // Keep the map in order of use, with the conversation that has been idle longest first.
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
      // Another request with the same key has already opened this conversation.
      if (known !== undefined) await conversation.close();
      return useOpen(id, known ?? add(id, Promise.resolve(conversation)), work);
    },
    async drive(run, leaving) {
      const id = conversationOf.get(run) ?? options.conversationOf?.(run) ?? (await ownerOf(run));
      if (id !== undefined) conversationOf.set(run, id);
      const driven =
        id === undefined ? undefined : await use(id, (it) => it.drive(run, leaving)).catch(ifGone);
      // A fork names the conversation of its origin, but it is not a run of that conversation.
      const report = driven ?? (await dandori.drive(run, leaving));
      if (!isUnfinished(report.outcome)) conversationOf.delete(run);
      return report;
    },
    of: (run) => conversationOf.get(run),
    async resume(given) {
      if (given === undefined) left ??= new Set(await all());
      for (const id of given ?? left ?? []) {
        try {
          await resumeOne(id);
          left?.delete(id);
        } catch (error) {
          // Only a person can repair the journal, so another attempt is useless.
          if (error instanceof DandoriError && error.code === 'journal-damaged') left?.delete(id);
          onTrouble(id, error);
        }
      }
    },
  };

  async function all(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { conversation } of allConversations({ list: dandori.conversations }))
      ids.push(conversation);
    return ids;
  }

  async function resumeOne(id: string): Promise<void> {
    const state = foldConversation(await dandori.conversationEvents(id));
    if (unfinished(state).length > 0) await use(id, async () => {});
  }

  async function ownerOf(run: string): Promise<string | undefined> {
    const first = await dandori.firstEvent(run);
    return first.type === 'run_started' ? first.data.conversation : undefined;
  }
}

/** If the conversation was removed, the run is driven without it. */
function ifGone(error: unknown): undefined {
  if (!(error instanceof DandoriError && error.code === 'conversation-not-found')) throw error;
}

/** Only an admin may choose a model that is not configured, because it may cost more. */
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

/** Cancels all runs that have not ended, and returns them. A run that ends meanwhile is skipped. */
export async function cancelAll(
  conversation: Pick<Conversation, 'runs' | 'cancel'>,
  { reason, by }: Asked,
): Promise<string[]> {
  const told: string[] = [];
  for (const { run, outcome } of conversation.runs()) {
    if (!isUnfinished(outcome)) continue;
    try {
      await conversation.cancel(run, reason, { by });
      told.push(run);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'run-ended')) throw error;
    }
  }
  return told;
}
