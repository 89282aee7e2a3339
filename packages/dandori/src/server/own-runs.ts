import type { Dandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import type { User } from './users.ts';

/** Whose run it is. A run never changes its owner, so what was looked up once holds. */
export interface OwnRuns {
  /** Throws `run-not-found` for a run of somebody else as for one that is not there. */
  check(run: string, user: User): Promise<void>;
  isOwn(run: string, user: User): Promise<boolean>;
}

const REMEMBERED = 10_000;
/** As the journal has it, and no longer than ids are. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export function createOwnRuns(dandori: Pick<Dandori, 'events'>): OwnRuns {
  const owners = new Map<string, string | undefined>();

  async function ownerOf(run: string): Promise<string | undefined> {
    if (owners.has(run)) return owners.get(run);
    const [first] = await dandori.events(run);
    const owner = first?.type === 'run_started' ? first.data.userId : undefined;
    owners.set(run, owner);
    const [oldest] = owners.keys();
    if (owners.size > REMEMBERED && oldest !== undefined) owners.delete(oldest);
    return owner;
  }

  async function isOwn(run: string, { id, role }: User): Promise<boolean> {
    if (!RUN_ID.test(run)) return false;
    if (role === 'admin') return true;
    try {
      return id !== undefined && (await ownerOf(run)) === id;
    } catch (error) {
      // Of a damaged one nobody knows whose it is.
      if (error instanceof DandoriError) return false;
      throw error;
    }
  }

  return {
    async check(run, user) {
      if (!(await isOwn(run, user))) throw notFound(run);
    },
    isOwn,
  };
}

function notFound(run: string): DandoriError {
  const shown = run.length > 128 ? `${run.slice(0, 128)}…` : run;
  return new DandoriError('run-not-found', `There is no run "${shown}".`, {
    fix: 'GET /api/runs lists your runs.',
  });
}
