/** The highest `rank` comes first; the written order breaks ties. */
interface Urgency {
  readonly rank: number;
  readonly order: number;
}

interface Place extends Urgency {
  /** The server; each may have a limit of its own. */
  readonly lane: string;
}

/** An entry of the queue. The caller keeps it to remove it again without a search. */
export interface Queued<T> extends Place {
  readonly item: T;
  position: number;
}

/**
 * What may start, the longest path first. One heap a server, so that a server that is full costs nothing however many
 * tasks wait for it.
 *
 * Q1  Adding, taking away and looking at the next one cost O(log n).
 * Q2  Looking changes nothing.
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

  /** False where it has been taken away before. */
  delete(entry: Queued<T>): boolean {
    const heap = this.#lanes.get(entry.lane);
    if (heap?.[entry.position] !== entry) return false;
    this.#size--;
    const last = heap.pop();
    if (last === undefined || last === entry) return true;
    place(heap, last, entry.position);
    rise(heap, last);
    sink(heap, last);
    return true;
  }

  /** In order, lazily; `hasRoom` is asked for each one again, as taking one may fill its lane. */
  *inOrder(hasRoom: (lane: string) => boolean): Generator<Queued<T>> {
    if (this.#size === 0) return;
    const frontier: Queued<T>[] = [];
    for (const heap of this.#lanes.values()) include(frontier, heap[0]);
    for (let next = takeFirst(frontier); next !== undefined; next = takeFirst(frontier)) {
      const { lane, position } = next;
      // Everything below it in its heap is of the same lane.
      if (!hasRoom(lane)) continue;
      const heap = this.#lanes.get(lane) ?? [];
      include(frontier, heap[2 * position + 1]);
      include(frontier, heap[2 * position + 2]);
      yield next;
    }
  }
}

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

/** The frontier is as small as what is taken, so it needs no positions: a plain heap of the entries as they stand. */
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
    const [a, b] = [frontier[left], frontier[left + 1]];
    if (a === undefined) return first;
    const child = b !== undefined && comesFirst(b, a) ? left + 1 : left;
    if (!exchange(frontier, at, child)) return first;
    at = child;
  }
}

/** True where the lower one had to go up. */
function exchange<T>(frontier: Queued<T>[], upper: number, lower: number): boolean {
  const [a, b] = [frontier[upper], frontier[lower]];
  if (a === undefined || b === undefined || !comesFirst(b, a)) return false;
  frontier[upper] = b;
  frontier[lower] = a;
  return true;
}
