import { createHash } from 'node:crypto';
import type { Action } from '../../../model/task.ts';
import type { Decision, RunState } from '../../../run/state/state.ts';
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

/** The highest number among the ids of a run, as far as they were read. */
interface Numbered {
  /** Where the next task stands. An iterator that was asked at the end of its map never sees later keys. */
  readonly ids: Iterator<string>;
  read: number;
  /** How many tasks of the run were dropped. Their numbers may be given again. */
  readonly dropped: number;
  decisions: number;
  highest: number;
}

const numbered = new WeakMap<RunState, Numbered>();

/**
 * The number of the next native call. A model can't know the provider's call ids while it writes, so Refs
 * could not name them. Ours count calls through the whole run. A rejected list does not count, because its
 * correction repeats it with its Refs. Only new ids are read, so that a step of a long run costs as much as one of a
 * short run.
 */
export function nextNumber(state: RunState): number {
  const { tasks, decisions, written } = state;
  const dropped = written - tasks.size;
  let known = numbered.get(state);
  if (known?.dropped !== dropped) {
    known = { ids: tasks.keys(), read: 0, dropped, decisions: 0, highest: 0 };
    numbered.set(state, known);
  }
  for (; known.read < tasks.size; known.read++)
    known.highest = Math.max(known.highest, countOf(known.ids.next().value ?? '') ?? 0);
  // The last decision can still change.
  for (; known.decisions < decisions.length - 1; known.decisions++)
    known.highest = Math.max(known.highest, numberIn(decisions[known.decisions]));
  return Math.max(known.highest, numberIn(decisions.at(-1))) + 1;
}

function numberIn(decision: Decision | undefined): number {
  if (decision === undefined || decision.diagnostics !== undefined) return 0;
  return Math.max(highestNumber(decision.proposed), highestNumber(decision.operations));
}

/** 7 for `t3`, `t7` and `rows`. */
export function highestNumber(actions: readonly Action[]): number {
  let highest = 0;
  for (const { id } of actions) highest = Math.max(highest, countOf(id) ?? 0);
  return highest;
}
