/** The highest `rank` comes first. Ties keep the written order. */
interface Urgency {
  readonly rank: number;
  readonly order: number;
}

interface Place extends Urgency {
  /** The server. Each server may have its own limit. */
  readonly lane: string;
}

/** An entry of the queue. The caller keeps it to remove it without a search. */
export interface Queued<T> extends Place {
  readonly item: T;
  position: number;
}

/**
 * Tasks that can start, longest path first. There is one heap per server, so a server at its limit costs
 * nothing, however many tasks wait for it.
 *
 * Q1  Adding, removing and peeking cost O(log n).
 * Q2  Peeking changes nothing.
 */
export class ReadyQueue<T> {
  readonly #lanes = new Map<string, Queued<T>[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: T, { lane, rank, order }: Place): Queued<T> {
    const heap = this.#lanes.get(lane) ?? [];
    if (heap.length === 0) this.#lanes.set(lane, heap);
    const entry = { item, lane, rank, order, position: heap.length };
    heap.push(entry);
    this.#size++;
    rise(heap, entry);
    return entry;
  }

  /** False if the entry was already removed. */
  delete(entry: Queued<T>): boolean {
    const heap = this.#lanes.get(entry.lane);
    if (heap?.[entry.position] !== entry) return false;
    this.#size--;
    const last = heap.pop();
    if (last === undefined || last === entry) return true;
    last.position = entry.position;
    rise(heap, last);
    sink(heap, last);
    return true;
  }

  first(): Queued<T> | undefined {
    let first: Queued<T> | undefined;
    if (this.#size === 0) return first;
    for (const [top] of this.#lanes.values())
      if (top !== undefined && (first === undefined || comesFirst(top, first))) first = top;
    return first;
  }

  /** In order, lazily. `hasRoom` is checked for each entry, because taking one may fill its lane. */
  inOrder(hasRoom: (lane: string) => boolean = everywhere): Iterable<Queued<T>> {
    // Most queues are empty, and they are looked at several times a step.
    return this.#size === 0 ? NOTHING : this.#taking(hasRoom);
  }

  *#taking(hasRoom: (lane: string) => boolean): Generator<Queued<T>> {
    const frontier: Queued<T>[] = [];
    for (const heap of this.#lanes.values()) include(frontier, heap[0]);
    for (let next = takeFirst(frontier); next !== undefined; next = takeFirst(frontier)) {
      const { lane, position } = next;
      // All entries below it in its heap belong to the same lane.
      if (!hasRoom(lane)) continue;
      const heap = this.#lanes.get(lane) ?? [];
      include(frontier, heap[2 * position + 1]);
      include(frontier, heap[2 * position + 2]);
      yield next;
    }
  }
}

const NOTHING: readonly never[] = [];
const everywhere = () => true;

export function comesFirst(a: Urgency, b: Urgency): boolean {
  return a.rank > b.rank || (a.rank === b.rank && a.order < b.order);
}

function rise<T>(heap: Queued<T>[], entry: Queued<T>): void {
  let at = entry.position;
  while (at > 0) {
    const parent = heap[(at - 1) >> 1];
    if (parent === undefined || !comesFirst(entry, parent)) break;
    const above = parent.position;
    place(heap, parent, at);
    at = above;
  }
  place(heap, entry, at);
}

function sink<T>(heap: Queued<T>[], entry: Queued<T>): void {
  let at = entry.position;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const child = left !== undefined && right !== undefined && comesFirst(right, left) ? right : left;
    if (child === undefined || !comesFirst(child, entry)) break;
    const below = child.position;
    place(heap, child, at);
    at = below;
  }
  place(heap, entry, at);
}

function place<T>(heap: Queued<T>[], entry: Queued<T>, at: number): void {
  heap[at] = entry;
  entry.position = at;
}

/** The frontier is as small as the number of taken entries, so a plain heap without positions is enough. */
function include<T>(frontier: Queued<T>[], entry: Queued<T> | undefined): void {
  if (entry === undefined) return;
  frontier.push(entry);
  for (let at = frontier.length - 1; at > 0; ) {
    const up = (at - 1) >> 1;
    if (!exchange(frontier, up, at)) return;
    at = up;
  }
}

function takeFirst<T>(frontier: Queued<T>[]): Queued<T> | undefined {
  const first = frontier[0];
  const last = frontier.pop();
  if (first === undefined || last === undefined || frontier.length === 0) return first;
  frontier[0] = last;
  for (let at = 0; ; ) {
    const left = 2 * at + 1;
    const a = frontier[left];
    const b = frontier[left + 1];
    if (a === undefined) return first;
    const child = b !== undefined && comesFirst(b, a) ? left + 1 : left;
    if (!exchange(frontier, at, child)) return first;
    at = child;
  }
}

/** True if the lower entry moved up. */
function exchange<T>(frontier: Queued<T>[], upper: number, lower: number): boolean {
  const a = frontier[upper];
  const b = frontier[lower];
  if (a === undefined || b === undefined || !comesFirst(b, a)) return false;
  frontier[upper] = b;
  frontier[lower] = a;
  return true;
}
