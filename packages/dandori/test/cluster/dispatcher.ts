import type { PostgresOptions } from '../../src/store/postgres/store.ts';
import { type Restate, startRestate } from './restate.ts';

export const DISPATCHERS = ['built-in', 'pg-boss', 'restate'] as const;

/** What a store must be told to use this dispatcher. */
export interface TriedDispatcher extends AsyncDisposable {
  readonly options: Pick<PostgresOptions, 'dispatcher' | 'restate'>;
}

export function dispatcherNamed(name: string): (typeof DISPATCHERS)[number] {
  const found = DISPATCHERS.find((one) => one === name);
  if (found === undefined) throw new Error(`--dispatcher takes ${DISPATCHERS.join(', ')}, not "${name}".`);
  return found;
}

/** Starts Restate, if it is wanted. The others need nothing but the database. */
export async function startDispatcher(dispatcher: (typeof DISPATCHERS)[number]): Promise<TriedDispatcher> {
  const restate: Restate | undefined = dispatcher === 'restate' ? await startRestate() : undefined;
  return {
    options: { dispatcher, ...(restate && { restate: restate.options }) },
    async [Symbol.asyncDispose]() {
      await restate?.[Symbol.asyncDispose]();
    },
  };
}
