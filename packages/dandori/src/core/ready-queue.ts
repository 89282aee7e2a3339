/** A task that may start. The highest `rank` comes first; the written order breaks ties. */
export interface ReadyTask extends Urgency {
  readonly id: string;
  /** The server; each may have a limit of its own. */
  readonly lane: string;
}

interface Urgency {
  readonly rank: number;
  readonly order: number;
}

interface Entry extends ReadyTask {
  position: number;
}

/**
 * What may start, the longest path first. One heap a server, so that a server that is full costs nothing however many
 * tasks wait for it.
 *
 * Q1  Adding, taking away and looking at the next one cost O(log n).
 * Q2  Looking changes nothing.
 */
export class ReadyQueue {
  readonly #lanes = new Map<string, Entry[]>();
  readonly #entries = new Map<string, Entry>();

  get size(): number {
    return this.#entries.size;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  add(task: ReadyTask): void {
    this.delete(task.id);
    const heap = this.#lanes.get(task.lane) ?? [];
    this.#lanes.set(task.lane, heap);
    const entry = { ...task, position: heap.length };
    heap.push(entry);
    this.#entries.set(task.id, entry);
    rise(heap, entry);
  }

  delete(id: string): boolean {
    const entry = this.#entries.get(id);
    const heap = entry === undefined ? undefined : this.#lanes.get(entry.lane);
    const last = heap?.pop();
    if (entry === undefined || heap === undefined || last === undefined) return false;
    this.#entries.delete(id);
    if (last === entry) return true;
    place(heap, last, entry.position);
    rise(heap, last);
    sink(heap, last);
    return true;
  }

  /** In order, lazily; `hasRoom` is asked for each one again, as taking one may fill its lane. */
  *inOrder(hasRoom: (lane: string) => boolean): Generator<string> {
    const frontier: Entry[] = [];
    for (const heap of this.#lanes.values()) include(frontier, heap[0]);
    for (let next = takeFirst(frontier); next !== undefined; next = takeFirst(frontier)) {
      const { lane, position, id } = next;
      // Everything below it in its heap is of the same lane.
      if (!hasRoom(lane)) continue;
      const heap = this.#lanes.get(lane) ?? [];
      include(frontier, heap[2 * position + 1]);
      include(frontier, heap[2 * position + 2]);
      yield id;
    }
  }
}

export function comesFirst(a: Urgency, b: Urgency): boolean {
  return a.rank > b.rank || (a.rank === b.rank && a.order < b.order);
}

function rise(heap: Entry[], entry: Entry): void {
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

function sink(heap: Entry[], entry: Entry): void {
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

function place(heap: Entry[], entry: Entry, at: number): void {
  heap[at] = entry;
  entry.position = at;
}

/** The frontier is as small as what is taken, so it needs no positions: a plain heap of the entries as they stand. */
function include(frontier: Entry[], entry: Entry | undefined): void {
  if (entry === undefined) return;
  frontier.push(entry);
  for (let at = frontier.length - 1; at > 0; ) {
    const up = (at - 1) >> 1;
    if (!exchange(frontier, up, at)) return;
    at = up;
  }
}

function takeFirst(frontier: Entry[]): Entry | undefined {
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
function exchange(frontier: Entry[], upper: number, lower: number): boolean {
  const [a, b] = [frontier[upper], frontier[lower]];
  if (a === undefined || b === undefined || !comesFirst(b, a)) return false;
  frontier[upper] = b;
  frontier[lower] = a;
  return true;
}
