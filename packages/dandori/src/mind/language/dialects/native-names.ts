import { createHash } from 'node:crypto';
import type { RunState } from '../../../run/state/state.ts';
import { countOf } from '../transcript.ts';

/** What providers allow in the name of a tool. */
const LONGEST = 64;
const HASH_LENGTH = 6;

/**
 * The names of operations as providers allow them: `places.find` is called `places_find`. Where two would have the same
 * name, or one is too long, a piece of the hash of the real name tells them apart, so that a name does not depend on
 * the order in which servers came up.
 */
export class NativeNames {
  readonly #native = new Map<string, string>();
  readonly #operations = new Map<string, string>();
  readonly #servers: readonly string[];

  constructor(operations: Iterable<string>) {
    const all = [...new Set(operations)];
    const wanted = new Map<string, number>();
    for (const operation of all) wanted.set(plain(operation), (wanted.get(plain(operation)) ?? 0) + 1);
    for (const operation of all) {
      const name = plain(operation);
      const isItsOwn = wanted.get(name) === 1 && name.length <= LONGEST;
      const native = isItsOwn ? name : withHash(name, operation);
      this.#native.set(operation, native);
      this.#operations.set(native, operation);
    }
    const servers = all.filter((name) => name.includes('.')).map((name) => name.slice(0, name.indexOf('.')));
    this.#servers = [...new Set(servers)].sort((one, other) => other.length - one.length);
  }

  /** Also for a tool that was called earlier and is not there any more. */
  toNative(operation: string): string {
    const name = plain(operation);
    return this.#native.get(operation) ?? (name.length <= LONGEST ? name : withHash(name, operation));
  }

  /** The operation that a model means. A name that nobody has comes back as an operation that nobody has. */
  toOperation(name: string): string {
    const bare = name.trim().replace(/^functions\./, '');
    const known = this.#operations.get(bare);
    if (known !== undefined || this.#native.has(bare)) return known ?? bare;
    const server = this.#servers.find((one) => bare.startsWith(`${plain(one)}_`));
    return server === undefined ? bare : `${server}.${bare.slice(server.length + 1)}`;
  }
}

function plain(operation: string): string {
  const name = operation.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  // Some providers want a letter or an underscore at the beginning.
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function withHash(name: string, operation: string): string {
  const hash = createHash('sha256').update(operation).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * The ids of native calls. Providers give calls ids that no model can know while it writes, so that no Ref could name
 * them; ours are counted, through the whole conversation, in the order of the calls. A list that was refused does not
 * count: its correction repeats it, Refs and all.
 */
export function nextNumber(state: RunState): number {
  const decided = state.decisions
    .filter(({ diagnostics }) => diagnostics === undefined)
    .flatMap(({ proposed, operations }) => [...proposed, ...operations]);
  return highestNumber([...state.tasks.keys(), ...decided.map(({ id }) => id)]) + 1;
}

/** 7 of `t3`, `t7` and `rows`. */
export function highestNumber(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) {
    highest = Math.max(highest, countOf(id) ?? 0);
  }
  return highest;
}
