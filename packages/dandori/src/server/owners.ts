import type { Dandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import type { User } from './users.ts';

/** Whose runs they are, or conversations. None ever changes its owner, so what was looked up once holds. */
export interface Owners {
  /** What is somebody else's is not found, as what is not there. */
  check(id: string, user: User): Promise<void>;
  isOwn(id: string, user: User): Promise<boolean>;
}

const REMEMBERED = 10_000;
/** As the journal has it, and no longer than ids are. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export function ownersOfRuns(dandori: Pick<Dandori, 'events'>): Owners {
  return createOwners(async (run) => {
    const [first] = await dandori.events(run);
    return first?.type === 'run_started' ? first.data.userId : undefined;
  }, 'run');
}

export function ownersOfConversations(dandori: Pick<Dandori, 'conversationEvents'>): Owners {
  return createOwners(async (conversation) => {
    const [first] = await dandori.conversationEvents(conversation);
    return first?.type === 'conversation_started' ? first.data.userId : undefined;
  }, 'conversation');
}

function createOwners(
  lookUp: (id: string) => Promise<string | undefined>,
  kind: 'run' | 'conversation',
): Owners {
  const owners = new Map<string, string | undefined>();

  async function ownerOf(id: string): Promise<string | undefined> {
    if (owners.has(id)) return owners.get(id);
    const owner = await lookUp(id);
    owners.set(id, owner);
    const [oldest] = owners.keys();
    if (owners.size > REMEMBERED && oldest !== undefined) owners.delete(oldest);
    return owner;
  }

  async function isOwn(id: string, user: User): Promise<boolean> {
    if (!ID.test(id)) return false;
    if (user.role === 'admin') return true;
    try {
      return user.id !== undefined && (await ownerOf(id)) === user.id;
    } catch (error) {
      // Of a damaged one nobody knows whose it is.
      if (error instanceof DandoriError) return false;
      throw error;
    }
  }

  return {
    async check(id, user) {
      if (await isOwn(id, user)) return;
      const shown = id.length > 128 ? `${id.slice(0, 128)}…` : id;
      throw new DandoriError(`${kind}-not-found`, `There is no ${kind} "${shown}".`, {
        fix: `GET /api/${kind}s lists your ${kind}s.`,
      });
    },
    isOwn,
  };
}
