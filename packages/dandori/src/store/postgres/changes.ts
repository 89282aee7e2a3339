import type { Sql } from 'postgres';

/** Tells watchers in all processes that something was written. */
export interface Changes {
  /** Calls back after a write by any process. A notification may get lost, so it also looks regularly. */
  watch(id: string, changed: (last?: number) => void): () => void;
  /** This process has written. Watchers here are told at once, others by a notification. */
  wrote(id: string, last: number, isDue?: boolean): void;
  /** The run is due, and nothing was written. */
  due(id: string): void;
  /** Calls back if a run may be due, in any process. */
  onDue(due: () => void): () => void;
  close(): void;
}

interface ChangesOptions {
  readonly sql: Sql;
  readonly schema: string;
  readonly kind: 'run' | 'conversation';
  /** Names this process in notifications, so that it ignores its own. */
  readonly self: string;
}

/** The most bytes in a notification. PostgreSQL allows 8,000. */
const MOST_BYTES = 7_000;
/** Milliseconds between two looks at the watched heads, in case a notification got lost. */
const LOOK = 2_000;
/** Ends the line of a run that may be due. */
const DUE = ' !';

interface Watched {
  readonly listeners: Set<(last?: number) => void>;
  /** The last event that the listeners were told of. */
  last: number;
}

/**
 * Notifications are sent after the commit, many in one statement: `NOTIFY` inside the transaction takes a lock that
 * all commits share. A notification can be missing: a process may die before it sends one, and a connection may
 * break. So every process also reads the last seq of what it watches.
 */
export function createChanges({ sql, schema, kind, self }: ChangesOptions): Changes {
  const channel = `${schema}_${kind}s`;
  const watched = new Map<string, Watched>();
  const unsent = new Map<string, { readonly last: number; readonly isDue: boolean }>();
  const dueListeners = new Set<() => void>();
  let isSending = false;
  let isListening = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function tell(id: string, last?: number): void {
    const found = watched.get(id);
    if (found === undefined || (last !== undefined && last <= found.last)) return;
    if (last !== undefined) found.last = last;
    for (const changed of found.listeners) changed(last);
  }

  /** A lower number than before: the run was removed and created again, or this look was late. */
  function seen(id: string, last: number): void {
    const found = watched.get(id);
    const isLower = found !== undefined && last < found.last;
    if (isLower) found.last = last;
    tell(id, isLower ? undefined : last);
  }

  function tellAll(): void {
    tellDue();
    for (const { listeners } of watched.values()) for (const changed of listeners) changed();
  }

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    // The writes of one turn go out together.
    await new Promise((resolve) => setImmediate(resolve));
    while (unsent.size > 0 && !isClosed) {
      const lines = [self];
      let bytes = self.length;
      for (const [id, { last, isDue }] of unsent) {
        const line = `${id} ${last}${isDue ? DUE : ''}`;
        if (bytes + line.length + 1 > MOST_BYTES) break;
        bytes += line.length + 1;
        lines.push(line);
        unsent.delete(id);
      }
      try {
        await sql`select pg_notify(${channel}, ${lines.join('\n')})`;
      } catch {
        // The others look by themselves.
      }
    }
    isSending = false;
  }

  function heard(payload: string): void {
    const [from, ...lines] = payload.split('\n');
    if (from === self) return;
    for (const line of lines) {
      const [id = '', last] = line.split(' ');
      tell(id, Number(last));
    }
    if (lines.some((line) => line.endsWith(DUE))) tellDue();
  }

  function tellDue(): void {
    for (const due of dueListeners) due();
  }

  function listen(): void {
    if (isListening || isClosed) return;
    isListening = true;
    // `tellAll` is also called when a broken connection is back. Notifications in between are lost. After a failure
    // the client listens again by itself.
    sql.listen(channel, heard, tellAll).catch(() => {});
  }

  async function look(): Promise<void> {
    const ids = [...watched.keys()];
    try {
      const heads = await sql.unsafe<{ id: string; last_seq: number }[]>(
        `select id, last_seq from ${schema}.${kind}s where id = any(string_to_array($1, ' '))`,
        [ids.join(' ')],
      );
      for (const { id, last_seq } of heads) seen(id, last_seq);
    } catch {
      // The next look may succeed.
    }
    lookLater();
  }

  function lookLater(): void {
    clearTimeout(timer);
    if (isClosed || watched.size === 0) return;
    timer = setTimeout(() => void look(), LOOK);
    timer.unref();
  }

  return {
    watch(id, changed) {
      listen();
      const found = watched.get(id) ?? { listeners: new Set(), last: 0 };
      const isFirst = watched.size === 0;
      found.listeners.add(changed);
      watched.set(id, found);
      if (isFirst) lookLater();
      return () => {
        found.listeners.delete(changed);
        if (found.listeners.size === 0 && watched.get(id) === found) watched.delete(id);
      };
    },
    wrote(id, last, isDue = false) {
      queueMicrotask(() => tell(id, last));
      const before = unsent.get(id);
      unsent.set(id, { last: Math.max(last, before?.last ?? 0), isDue: isDue || before?.isDue === true });
      void send();
      if (isDue) tellDue();
    },
    due(id) {
      this.wrote(id, 0, true);
    },
    onDue(due) {
      listen();
      dueListeners.add(due);
      return () => void dueListeners.delete(due);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
