import type { Arrangement } from './arrangement.ts';
import { type Queued, ReadyQueue } from './ready-queue.ts';

export interface Scheduling {
  /** Milliseconds of a task. */
  readonly takes: (id: string) => number;
  readonly laneOf: (id: string) => string;
  /** Calls at once, all in all and by server; without a number as many as there are. */
  readonly concurrency?: number;
  readonly servers?: Readonly<Record<string, number>>;
}

/** How long a plan takes if each task takes as long as said: what the scheduler would do, played through. */
export function makespan(arrangement: Arrangement, scheduling: Scheduling): number {
  const { takes, laneOf, concurrency = Number.POSITIVE_INFINITY, servers = {} } = scheduling;
  const waiting = createWaiting(arrangement);
  const order = new Map(arrangement.tasks.map(({ id, rank = 0 }, index) => [id, { rank, order: index }]));
  const ready = new ReadyQueue<string>();
  // The one that ends first has the highest rank here.
  const running = new ReadyQueue<string>();
  const runningIn = new Map<string, number>();
  const endOf = new Map<string, number>();
  const hasRoom = (lane: string) => (runningIn.get(lane) ?? 0) < (servers[lane] ?? Number.POSITIVE_INFINITY);
  const enter = (id: string) => ready.add(id, { lane: laneOf(id), rank: 0, order: 0, ...order.get(id) });
  let now = 0;

  const start = () => {
    const started: Queued<string>[] = [];
    for (const entry of ready.inOrder(hasRoom)) {
      if (running.size >= concurrency) break;
      const { item: id, lane } = entry;
      runningIn.set(lane, (runningIn.get(lane) ?? 0) + 1);
      endOf.set(id, now + takes(id));
      running.add(id, { lane: '', rank: -(endOf.get(id) ?? now), order: 0 });
      started.push(entry);
    }
    for (const entry of started) ready.delete(entry);
  };

  waiting.free.forEach(enter);
  for (start(); running.size > 0; start()) {
    const [next] = running.inOrder(() => true);
    if (next === undefined) break;
    running.delete(next);
    const { item: id } = next;
    now = endOf.get(id) ?? now;
    runningIn.set(laneOf(id), (runningIn.get(laneOf(id)) ?? 1) - 1);
    waiting.ended(id).forEach(enter);
  }
  return now;
}

interface Waiting {
  readonly free: readonly string[];
  /** Who waits for nothing any more, now that this one has ended. */
  ended(id: string): string[];
}

/** Everybody, each group among them, counts what it still waits for. */
function createWaiting({ tasks, groups }: Arrangement): Waiting {
  const unmet = new Map<string | number, number>();
  const dependents = new Map<string, (string | number)[]>();
  const behind: string[][] = groups.map(() => []);
  const add = (earlier: string, later: string | number) => {
    const known = dependents.get(earlier);
    if (known === undefined) dependents.set(earlier, [later]);
    else known.push(later);
  };
  // What is not of this plan is under way already; how long it still takes nobody knows.
  const own = new Set(tasks.map(({ id }) => id));
  groups.forEach((all, number) => {
    const members = all.filter((id) => own.has(id));
    unmet.set(number, members.length);
    for (const id of members) add(id, number);
  });
  for (const { id, needs = [], waits = [], waitsForGroups = [] } of tasks) {
    const earlier = [...needs, ...waits].filter((one) => own.has(one));
    const gates = waitsForGroups.filter((number) => unmet.get(number) !== 0);
    unmet.set(id, earlier.length + gates.length);
    for (const one of earlier) add(one, id);
    for (const number of gates) behind[number]?.push(id);
  }
  const isFree = (one: string | number) => {
    const left = (unmet.get(one) ?? 0) - 1;
    unmet.set(one, left);
    return left === 0;
  };
  return {
    free: tasks.filter(({ id }) => unmet.get(id) === 0).map(({ id }) => id),
    ended: (id) =>
      (dependents.get(id) ?? [])
        .filter(isFree)
        .flatMap((one) => (typeof one === 'string' ? [one] : (behind[one] ?? []).filter(isFree))),
  };
}
