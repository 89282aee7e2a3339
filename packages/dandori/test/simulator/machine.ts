import type { Parts } from '../../src/driver/index.ts';
import { isCommand } from '../../src/model/event-kinds.ts';
import { createMemoryBlobs } from '../../src/store/implementations.ts';
import {
  assertFollows,
  type Blobs,
  type Claim,
  claimEnded,
  conflict,
  drivenElsewhere,
  isListed,
  type Journal,
  NEVER_LOST,
  RUNS,
  summarise,
} from '../../src/store/index.ts';
import { createDisk, type Disk, type SimulatedFile } from './disk.ts';
import type { Fate, FaultKind } from './faults.ts';
import { createSimulatedLeases, type Leases } from './leases.ts';
import { createSimulatedMind } from './mind.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';
import { createTooEarly, type TooEarly } from './too-early.ts';
import { createWorld, type World } from './world.ts';

/** Replaces parts by broken ones, to test that the checks notice. */
export interface Tampering {
  readonly journal?: (journal: Journal) => Journal;
  readonly blobs?: (blobs: Blobs) => Blobs;
  /** Whether tools that claim to support idempotency keys do. */
  readonly knowsKeys?: boolean;
  /** Whether probes find existing effects. */
  readonly canFind?: boolean;
  /** Whether a driver whose lease is over is told so, and cannot write. */
  readonly isFenced?: boolean;
  /** The only faults that strike. By default each seed has some of all. */
  readonly faults?: readonly FaultKind[];
}

interface MachineParts {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  readonly tampering: Tampering;
  /** Called after each death of a process. */
  readonly onDeath: () => void;
  /** Called when a run can be taken from a process that is alive. */
  readonly onFree: () => void;
}

/** A machine with a disk, on which processes start and die, and the world around it. */
interface Machine {
  readonly disk: Disk;
  readonly world: World;
  readonly leases: Leases;
  readonly tooEarly: TooEarly;
  begin(name: string): { readonly process: SimulatedProcess; readonly parts: Parts };
}

export function createMachine({
  scenario,
  random,
  timeline,
  fate,
  tampering,
  onDeath,
  onFree,
}: MachineParts): Machine {
  const leases = createSimulatedLeases({ random: random.fork('leases'), timeline, onFree });
  const processes = new Set<SimulatedProcess>();
  const disk = createDisk({ random: random.fork('disk'), timeline, fate, processes, stop: leases.stop });
  const world = createWorld({
    random: random.fork('world'),
    timeline,
    fate,
    behaviours: scenario.behaviours,
    knowsKeys: tampering.knowsKeys ?? true,
    hasProbes: scenario.hasProbes,
    canFind: tampering.canFind ?? true,
    onCall: (call) => tooEarly.called(call),
  });
  const memory = createMemoryBlobs(() => timeline.now);
  const storedBlobs = new Set<string>();
  const stored: Blobs = {
    ...memory,
    async put(parts) {
      const handle = await memory.put(parts);
      storedBlobs.add(handle.sha256);
      return handle;
    },
  };
  const blobs = tampering.blobs?.(stored) ?? stored;
  const tooEarly = createTooEarly({ disk, scenario, storedBlobs });
  const mind = { random: random.fork('mind'), timeline, fate, scenario };
  return {
    disk,
    world,
    leases,
    tooEarly,
    begin(name) {
      const process = createSimulatedProcess(name);
      processes.add(process);
      process.onDeath(() => {
        processes.delete(process);
        onDeath();
      });
      const journal = createSimulatedJournal(disk, process, { leases, ...tampering });
      const parts: Parts = {
        journal: tampering.journal?.(journal) ?? journal,
        blobs: blobsFor(blobs, process),
        clock: timeline.clockFor(process),
        toolbox: world.toolboxFor(process),
        mind: createSimulatedMind(mind, process),
        check: () => [],
        secrets: [],
        driver: name,
        // A driver also passes on the commands of others. They may not be synced yet, and were not accepted then.
        onEvent: (event) => {
          if (process.isAlive && !isCommand(event.type)) tooEarly.told(event);
        },
      };
      return { process, parts };
    },
  };
}

function blobsFor(blobs: Blobs, process: SimulatedProcess): Blobs {
  return {
    put: (text) => process.receive(() => blobs.put(text)),
    get: (handle) => process.receive(() => blobs.get(handle)),
    putBefore: (time) => process.receive(() => blobs.putBefore(time)),
    remove: (blob, before) => process.receive(() => blobs.remove(blob, before)),
    sweep: (before, isUsed) => process.receive(() => blobs.sweep(before, isUsed)),
  };
}

/** The journal as one simulated process sees it. */
export function createSimulatedJournal(
  disk: Disk,
  process: SimulatedProcess,
  { leases, isFenced = true }: { readonly leases: Leases; readonly isFenced?: boolean },
): Journal {
  const holder = ({ claim }: SimulatedFile) => (claim?.lease.isFree === false ? claim.by : undefined);
  const refuseClaimed = (run: string, file: SimulatedFile) => {
    const by = holder(file);
    if (by !== undefined) drivenElsewhere(run, by.name);
  };
  return {
    create: (run, events) => process.receive(async () => disk.create(run, events)),
    append: (run, after, events, claim) =>
      process.receive(async () => {
        assertFollows(after, events);
        await unlessLost(leases.reach(process), claim, run);
        if (isFenced && claim !== undefined && disk.fileOf(run).claim?.claim !== claim) claimEnded(run);
        await disk.append(run, { by: process, after, events });
      }),
    read: (run, after = 0) =>
      process.receive(async () => {
        const { lines, claim } = disk.fileOf(run);
        if (claim?.by === process) disk.sync(run);
        return lines.slice(after).map(({ event }) => event);
      }),
    first: (run) => process.receive(async () => disk.fileOf(run).lines[0]?.event ?? RUNS.notFound(run)),
    list: ({ limit = Number.POSITIVE_INFINITY, before, ...which } = {}) =>
      process.receive(async () => {
        const names = [...disk.files.keys()].sort().reverse();
        const older = names.filter((name) => before === undefined || name < before);
        const all = older.map((name) => {
          const { lines } = disk.fileOf(name);
          return summarise(name, lines[0]?.event, lines.at(-1)?.event);
        });
        return all.filter((summary) => isListed(summary, which)).slice(0, limit);
      }),
    claim: (run) =>
      process.receive(async (): Promise<Claim> => {
        const file = disk.fileOf(run);
        refuseClaimed(run, file);
        const lease = leases.begin(process);
        const claim: Claim = {
          get lost() {
            return isFenced ? lease.lost : NEVER_LOST;
          },
          last: file.lines.length,
          release: () =>
            process.receive(async () => {
              lease.release();
              if (file.claim?.claim === claim) file.claim = undefined;
            }),
        };
        file.claim = { by: process, claim, lease };
        return claim;
      }),
    size: (run) =>
      process.receive(async () =>
        disk.fileOf(run).lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
      ),
    remove: (run, after) =>
      process.receive(async () => {
        const file = disk.fileOf(run);
        refuseClaimed(run, file);
        if (file.lines.length !== after) conflict(run, after, file.lines.length);
        disk.remove(run);
      }),
    watch(run, changed) {
      const watchers = disk.watchersOf(run);
      const watcher = { by: process, changed };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** A driver that knows of the loss of its claim does not wait for a database that it cannot reach. */
async function unlessLost(work: Promise<void>, claim: Claim | undefined, run: string): Promise<void> {
  if (claim === undefined) return work;
  const { lost } = claim;
  const isLost = new Promise<void>((resolve) =>
    lost.addEventListener('abort', () => resolve(), { once: true }),
  );
  if (!lost.aborted) await Promise.race([work, isLost]);
  if (lost.aborted) claimEnded(run);
}

/** A simulated process. After its death its code may still run, but has no effect on the world. */
export interface SimulatedProcess {
  readonly name: string;
  readonly isAlive: boolean;
  die(): void;
  onDeath(told: () => void): void;
  readonly isStopped: boolean;
  /** Nothing reaches it until it goes on. The world goes on without it. */
  stop(): void;
  goOn(): void;
  /** At once, or when it goes on. Never if it is dead. */
  whenAwake(happen: () => void): void;
  /** A promise of a dead process never settles. */
  receive<T>(work: () => Promise<T>): Promise<T>;
}

export function createSimulatedProcess(name: string): SimulatedProcess {
  const mourners: (() => void)[] = [];
  const missed: (() => void)[] = [];
  let isAlive = true;
  let isStopped = false;
  const whenAwake = (happen: () => void) => {
    if (isStopped) missed.push(happen);
    else if (isAlive) happen();
  };
  return {
    name,
    get isAlive() {
      return isAlive;
    },
    get isStopped() {
      return isStopped;
    },
    die() {
      if (!isAlive) return;
      isAlive = false;
      for (const told of mourners) told();
    },
    onDeath: (told) => void mourners.push(told),
    stop() {
      isStopped = true;
    },
    goOn() {
      isStopped = false;
      for (const happen of missed.splice(0)) whenAwake(happen);
    },
    whenAwake,
    receive: (work) =>
      new Promise((resolve, reject) => {
        if (!isAlive) return;
        work().then(
          (value) => whenAwake(() => resolve(value)),
          (error) => whenAwake(() => reject(error)),
        );
      }),
  };
}
