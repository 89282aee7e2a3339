import { createHash } from 'node:crypto';
import type { RunState } from '../../../run/state/state.ts';
import { countOf } from '../transcript.ts';

/** Characters that providers allow in a tool name. */
const LONGEST = 64;
const HASH_LENGTH = 6;

/**
 * Operation names that providers accept: `places.find` becomes `places_find`. If two names clash or one is too long,
 * a part of the hash of the real name is added. So a name does not depend on which server started first.
 */
export class NativeNames {
  readonly #native = new Map<string, string>();
  readonly #operations = new Map<string, string>();
  readonly #servers: readonly string[];
  /** Equal for two sets of names that are translated in the same way. */
  readonly key: string;

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
    this.key = all.join(' ');
  }

  /** Also for a tool that has become unavailable. */
  toNative(operation: string): string {
    const name = plain(operation);
    return this.#native.get(operation) ?? (name.length <= LONGEST ? name : withHash(name, operation));
  }

  /** The operation that a model means. An unknown name stays an unknown operation. */
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
  // Some providers require a letter or an underscore first.
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function withHash(name: string, operation: string): string {
  const hash = createHash('sha256').update(operation).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LONGEST - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * The number of the next native call. A model can't know the provider's call ids while it writes, so Refs
 * could not name them. Ours count calls through the whole run. A rejected list does not count, because its
 * correction repeats it with its Refs.
 */
export function nextNumber(state: RunState): number {
  const decided = state.decisions
    .filter(({ diagnostics }) => diagnostics === undefined)
    .flatMap(({ proposed, operations }) => [...proposed, ...operations]);
  return highestNumber([...state.tasks.keys(), ...decided.map(({ id }) => id)]) + 1;
}

/** 7 for `t3`, `t7` and `rows`. */
export function highestNumber(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) {
    highest = Math.max(highest, countOf(id) ?? 0);
  }
  return highest;
}
