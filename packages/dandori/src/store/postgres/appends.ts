import type { Sql } from 'postgres';
import type { Write } from './engine.ts';

/** One append, ready to be sent. */
export interface Append {
  readonly id: string;
  readonly after: number;
  /** A line per event. */
  readonly lines: readonly string[];
  readonly lastAt: number;
  readonly status: string;
  /** The fence: the append is written only if the run still has this lease. Undefined for a command. */
  readonly lease: { readonly term: string; readonly epoch: string } | undefined;
  /** The append of a command, which wakes the run in the same transaction. */
  readonly isDue: boolean;
}

/** Writes appends of many runs in one statement. */
export interface Appends {
  /**
   * False if it was refused: the run is gone, is at another event, or has another lease. Throws if it is
   * unknown whether it was written.
   */
  add(append: Append): Promise<boolean>;
}

interface Tables {
  readonly heads: string;
  readonly events: string;
  /** Writes with the wakes of the runs. Undefined for conversations, which are not driven. */
  readonly write: Write | undefined;
}

/** Stored instead of a term for a command, which needs no lease. */
const COMMAND = '-';
const WAKING_COMMAND = '+';

interface Queued {
  readonly append: Append;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface Moved {
  readonly id: string;
  readonly is_due?: boolean;
}

/** Statements at the same time. While one waits for the disk, the next is filled. */
const IN_FLIGHT = 2;
/** The most characters in a statement, unless a single append is longer. */
const MOST_CHARACTERS = 4_000_000;

/**
 * While a statement is under way, appends gather for the next one. One run is in at most one statement at a
 * time, so its appends keep their order. Appends of one run that follow each other are one entry.
 */
export function createAppends(sql: Sql, { heads, events, write }: Tables): Appends {
  const queue: Queued[] = [];
  const busy = new Set<string>();
  let inFlight = 0;
  let isDue = false;

  // All arguments are text with separators that ids, numbers and lines never contain. An array argument would
  // have to be escaped character by character.
  const statement = `
    with wanted as (
      select * from unnest(
        string_to_array($1, ' '), string_to_array($2, ' ')::integer[], string_to_array($3, ' ')::integer[],
        string_to_array($4, ' ')::float8[], string_to_array($5, ' '),
        string_to_array($6, ' '), string_to_array($7, ' ')::bigint[]
      ) as w (id, after, last, last_at, status, term, epoch)
    ), moved as (
      update ${heads} h set last_seq = w.last, last_at = w.last_at, status = w.status${
        write
          ? `,
        wake_at = case when w.term = '${WAKING_COMMAND}' and h.parent is null then clock_timestamp() else h.wake_at end`
          : ''
      }
      from wanted w
      where h.id = w.id and h.last_seq = w.after
        and (w.term in ('${COMMAND}', '${WAKING_COMMAND}') or (h.worker = w.term and h.epoch = w.epoch))
      returning h.id${write ? `, w.term = '${WAKING_COMMAND}' and h.parent is null as is_due` : ''}
    ), written as (
      insert into ${events} (id, seq, body)
      select e.id, e.seq, e.body
      from unnest(string_to_array($8, ' '), string_to_array($9, ' ')::integer[], string_to_array($10, E'\\n'))
        as e (id, seq, body)
      join moved on moved.id = e.id
    )
    select * from moved`;

  function flushSoon(): void {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      flush();
    });
  }

  function flush(): void {
    while (inFlight < IN_FLIGHT && queue.length > 0) {
      const batch = takeBatch();
      if (batch.size === 0) return;
      void writeBatch(batch);
    }
  }

  function takeBatch(): Map<string, Queued[]> {
    const batch = new Map<string, Queued[]>();
    const left: Queued[] = [];
    const waiting = new Set(busy);
    let characters = 0;
    for (const queued of queue) {
      const { append } = queued;
      const chain = batch.get(append.id);
      const isNext = chain === undefined || follows(chain, append);
      if (waiting.has(append.id) || characters > MOST_CHARACTERS || !isNext) {
        left.push(queued);
        waiting.add(append.id);
        continue;
      }
      for (const line of append.lines) characters += line.length;
      if (chain === undefined) batch.set(append.id, [queued]);
      else chain.push(queued);
    }
    queue.splice(0, queue.length, ...left);
    return batch;
  }

  async function writeBatch(batch: ReadonlyMap<string, Queued[]>): Promise<void> {
    inFlight++;
    for (const id of batch.keys()) busy.add(id);
    const alone: Queued[] = [];
    try {
      const written = await send([...batch.values()].map((chain) => chain.map(({ append }) => append)));
      for (const [id, chain] of batch) {
        // If the first of a chain is refused, the next may still fit.
        if (written.has(id) || chain.length === 1) for (const { resolve } of chain) resolve(written.has(id));
        else alone.push(...chain);
      }
      for (const queued of alone) queued.resolve((await send([[queued.append]])).has(queued.append.id));
    } catch (error) {
      for (const chain of batch.values()) for (const { reject } of chain) reject(error);
    } finally {
      inFlight--;
      for (const id of batch.keys()) busy.delete(id);
      flush();
    }
  }

  async function send(chains: readonly (readonly Append[])[]): Promise<Set<string>> {
    const heads = chains.map((chain) => ({ first: chain[0], end: chain.at(-1) }));
    const column = (of: (head: { first: Append; end: Append }) => string | number) =>
      heads.flatMap(({ first, end }) => (first && end ? of({ first, end }) : [])).join(' ');
    const events = chains
      .flat()
      .flatMap(({ id, after, lines }) => lines.map((line, index) => ({ id, seq: after + 1 + index, line })));
    const args = [
      column(({ first }) => first.id),
      column(({ first }) => first.after),
      column(({ end }) => end.after + end.lines.length),
      column(({ end }) => end.lastAt),
      column(({ end }) => end.status),
      column(({ first }) => first.lease?.term ?? (first.isDue ? WAKING_COMMAND : COMMAND)),
      column(({ first }) => first.lease?.epoch ?? 0),
      events.map(({ id }) => id).join(' '),
      events.map(({ seq }) => seq).join(' '),
      events.map(({ line }) => line).join('\n'),
    ];
    for (;;) {
      try {
        const isWaking = chains.some(([first]) => first?.isDue);
        const rows =
          write !== undefined && isWaking
            ? await write<Moved>(statement, args, ({ id, is_due }) =>
                is_due ? { run: id, delay: 0 } : undefined,
              )
            : await sql.unsafe<Moved[]>(statement, args, { prepare: true });
        return new Set(rows.map(({ id }) => id));
      } catch (error) {
        // Two processes wrote to the same runs in different order. Nothing was written.
        if ((error as { code?: string }).code !== DEADLOCK) throw error;
      }
    }
  }

  return {
    add: (append) =>
      new Promise((resolve, reject) => {
        queue.push({ append, resolve, reject });
        flushSoon();
      }),
  };
}

const DEADLOCK = '40P01';

function follows(chain: readonly Queued[], { after, lease, isDue }: Append): boolean {
  const last = chain.at(-1)?.append;
  const isSame =
    last?.lease?.epoch === lease?.epoch && last?.lease?.term === lease?.term && last?.isDue === isDue;
  return last !== undefined && isSame && last.after + last.lines.length === after;
}
