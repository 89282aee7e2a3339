import { type Claim, claimEnded, drivenElsewhere, type Parked } from '../journal.ts';
import type { Leases } from './leases.ts';
import { type Args, asUnreachable, isUnreachable, type Query } from './query.ts';

/** What the head row says about the claim on its run. */
export interface Head {
  readonly last_seq: number;
  readonly epoch: string;
  readonly worker: string | null;
  readonly holder: string | null;
  readonly is_live: boolean;
}

export interface Lease {
  readonly term: string;
  readonly epoch: string;
}

/** A claim as the row tells it. Only runs count wakes. */
interface Taken {
  readonly epoch: string;
  readonly last_seq: number;
  readonly wakes?: string;
}

interface ClaimsOptions {
  readonly schema: string;
  /** The table of head rows. */
  readonly heads: string;
  /** Only runs are woken. Conversations are not. */
  readonly isRuns: boolean;
  readonly grace: number;
  readonly leases: Leases;
  readonly query: Query;
  /** A statement that may make runs due. */
  readonly queryDue: (text: string, args: Args) => Promise<unknown>;
  readonly headOf: (run: string) => Promise<Head>;
}

/** Milliseconds until a lease without a holder is given back again, if that failed. */
const AGAIN = 200;

/** A claim is tried again if another process ends a lease or takes the run at the same moment. */
const MOST_TRIES = 5;

/** The claims of this process on runs. A claim is a lease of its current term, written in the head row. */
export function createClaims({
  schema,
  heads,
  isRuns,
  grace,
  leases,
  query,
  queryDue,
  headOf,
}: ClaimsOptions) {
  const claims = new Map<string, Claim>();
  /** Claims that are being made. */
  const claiming = new Set<string>();
  const held = new WeakMap<Claim, Lease>();
  let isFreeing = false;
  let isClosed = false;

  /** Sets the lease if it is still as it was read. A term that ended in the meantime gets none. */
  async function take(run: string, term: string, was: Pick<Head, 'worker' | 'epoch'> | undefined) {
    const [taken] = await query<Taken>(
      `with me as materialized (
         select id from ${schema}.workers where id = $2 and until > clock_timestamp() for share
       )
       update ${heads} h set worker = me.id, epoch = h.epoch + 1 from me
       where h.id = $1 and ${was === undefined ? 'h.worker is null' : 'h.worker = $3 and h.epoch = $4::bigint'}
       returning h.epoch, h.last_seq${isRuns ? ', h.wakes' : ''}`,
      was === undefined ? [run, term] : [run, term, was.worker, was.epoch],
    );
    return taken;
  }

  async function claim(run: string): Promise<Claim> {
    if (claims.has(run)) drivenElsewhere(run, 'this process');
    claiming.add(run);
    try {
      return await tryClaim(run);
    } catch (error) {
      if (isUnreachable(error)) void freeForgotten();
      throw error;
    } finally {
      claiming.delete(run);
    }
  }

  /**
   * A claim or a release whose answer did not arrive may leave a lease of this process that nothing here holds.
   * As long as the process lives, no other process could take the run. So the lease is given back, and the run is due.
   */
  async function freeForgotten(): Promise<void> {
    if (isFreeing) return;
    isFreeing = true;
    for (let isFree = false; !isFree && !isClosed; )
      try {
        await new Promise((resolve) => setTimeout(resolve, AGAIN).unref());
        const { id } = await leases.term();
        const known = [...claims.keys(), ...claiming].join(' ');
        await queryDue(
          `update ${heads} set worker = null${isRuns ? ', wakes = wakes + 1, wake_at = clock_timestamp()' : ''}
           where worker = $1 and id <> all(string_to_array($2, ' '))`,
          [id, known],
        );
        isFree = true;
      } catch {
        // The database is still away.
      }
    isFreeing = false;
  }

  async function tryClaim(run: string): Promise<Claim> {
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      const term = await leases.term().catch(asUnreachable);
      const free = await take(run, term.id, undefined);
      if (free !== undefined) return hold(run, term, free);
      const head = await headOf(run);
      if (head.worker === null) {
        // Released in the meantime, or our own term has ended.
        await leases.confirm();
        continue;
      }
      const isMine = head.worker === term.id && !claims.has(run);
      if (head.is_live && !isMine) return drivenElsewhere(run, head.holder ?? head.worker);
      if (!isMine && !(await leases.bury(head.worker).catch(asUnreachable))) continue;
      const taken = await take(run, term.id, head);
      if (taken !== undefined) return hold(run, term, taken);
      await leases.confirm();
    }
    return claimEnded(run);
  }

  function hold(
    run: string,
    term: { readonly id: string; readonly lost: AbortSignal },
    { epoch, last_seq, wakes = '0' }: Taken,
  ): Claim {
    const made: Claim = {
      get lost() {
        return term.lost;
      },
      last: last_seq,
      async release(parked) {
        if (claims.get(run) !== made) return;
        claims.delete(run);
        held.delete(made);
        const lease = [run, term.id, epoch];
        const how = isRuns ? nextWake(parked, wakes) : { set: '', args: [] };
        await queryDue(
          `update ${heads} set worker = null${how.set} where id = $1 and worker = $2 and epoch = $3::bigint`,
          [...lease, ...how.args],
        ).catch((error) => {
          if (!isUnreachable(error)) throw error;
          void freeForgotten();
        });
      },
    };
    claims.set(run, made);
    held.set(made, { term: term.id, epoch });
    return made;
  }

  /**
   * A driver clears the wakes that it knew of. A command that it has not seen, or a wake after its claim, keeps
   * the run due. A driver that failed leaves it due.
   */
  function nextWake(parked: Parked | undefined, wakes: string): { set: string; args: Args } {
    const later = (argument: string) => `clock_timestamp() + ${argument}::float8 * interval '1 ms'`;
    if (parked === undefined) return { set: `, wake_at = coalesce(wake_at, ${later('$4')})`, args: [grace] };
    const { seen, wakeAt } = parked;
    const delay = wakeAt === undefined ? null : Math.max(0, wakeAt - Date.now());
    const known = 'last_seq = $4 and wakes = $5::bigint';
    return {
      set: `, wake_at = case when ${known} then ${later('$6')} else clock_timestamp() end`,
      args: [seen, wakes, delay],
    };
  }

  return {
    claim,
    /** Undefined if the claim was released. */
    leaseOf: (claim: Claim): Lease | undefined => held.get(claim),
    close() {
      isClosed = true;
    },
  };
}
