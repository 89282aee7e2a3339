import type { Json, JsonObject, Tool } from 'dandori';
import { resultOf } from './tools.ts';

/** One call that a case needs. */
export interface CaseTask {
  readonly id: string;
  readonly tool: string;
  /** With Refs, as a plan is written. */
  readonly planned: JsonObject;
  /** With the values in their place, as one who has seen the results writes them. */
  readonly args: JsonObject;
  /** Tasks whose ends must be known before this one can be thought of. */
  readonly needs: readonly string[];
  readonly result: Json;
  readonly error?: string;
}

export interface Case {
  readonly name: string;
  readonly goal: string;
  readonly answer: string;
  /** The same answer with Refs, for who knows where it will be before it is there. */
  readonly plannedAnswer?: string;
  readonly tasks: readonly CaseTask[];
  /** Instead of the twelve tools of the shipped servers. */
  readonly tools?: readonly Tool[];
  /** What a planner decides at once, in the order of its decisions; without it, each round is decided by what the one before gave. */
  readonly plans?: readonly (readonly string[])[];
  /** Ids of tasks that only a plan has: other libraries make no call before its inputs exist. */
  readonly onlyPlanned?: ReadonlySet<string>;
  /** The value of a large result that the next step needs, where a digest does not show it. */
  readonly hidden?: string;
}

interface TaskOptions {
  readonly needs?: readonly string[];
  readonly result?: Json;
  readonly error?: string;
}

/** Collects the tasks of a case; Refs are followed into the results of those before. */
export class Tasks {
  readonly list: CaseTask[] = [];

  add(tool: string, planned: JsonObject, { needs = [], result, error }: TaskOptions = {}): string {
    const id = `t${this.list.length + 1}`;
    const refs = [...JSON.stringify(planned).matchAll(REF)].map(([, ref = '']) => ref);
    const args = Object.fromEntries(
      Object.entries(planned).map(([key, value]) => [
        key,
        typeof value === 'string' ? this.filled(value) : value,
      ]),
    );
    this.list.push({
      id,
      tool,
      planned,
      args,
      needs: [...new Set([...needs, ...refs])],
      result: result ?? (error === undefined ? resultOf(tool, args) : null),
      ...(error !== undefined && { error }),
    });
    return id;
  }

  /** With values where it has Refs. */
  filled(text: string): string {
    return text.replaceAll(REF, (_, id: string, path: string) => this.#valueOf(id, path));
  }

  #valueOf(id: string, path: string): string {
    let value: unknown = this.list.find((task) => task.id === id)?.result;
    for (const key of path.matchAll(/\w+|-\d+/g)) {
      const name = key[0];
      if (Array.isArray(value)) value = value.at(Number(name));
      else value = (value as Record<string, unknown> | null)?.[name];
    }
    return String(value);
  }
}

const REF = /\$\{(t\d+)([^}]*)\}/g;

/** The calls that one who sees each result before the next call makes together, round by round. */
export function roundsOf({ tasks, onlyPlanned }: Case): CaseTask[][] {
  const rounds: CaseTask[][] = [];
  const round = new Map<string, number>();
  for (const task of tasks) {
    if (onlyPlanned?.has(task.id) === true) continue;
    const number = Math.max(-1, ...task.needs.map((id) => round.get(id) ?? -1)) + 1;
    round.set(task.id, number);
    const together = rounds[number] ?? [];
    together.push(task);
    rounds[number] = together;
  }
  return rounds;
}
