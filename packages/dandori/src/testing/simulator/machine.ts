import type { Parts } from '../../driver/index.ts';
import {
  assertFollows,
  type Blobs,
  type Claim,
  claimEnded,
  conflict,
  createMemoryBlobs,
  drivenElsewhere,
  isListed,
  type Journal,
  NEVER_LOST,
  RUNS,
  summarise,
} from '../../store/index.ts';
import { createDisk, type Disk, type SimulatedFile } from './disk.ts';
import type { Fate } from './faults.ts';
import { createSimulatedMind } from './mind.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import type { Timeline } from './timeline.ts';
import { createWorld, type World } from './world.ts';

/** Replaces parts by broken ones, to test that the checks notice. */
export interface Tampering {
  readonly journal?: (journal: Journal) => Journal;
  /** Whether tools that claim to support idempotency keys do. */
  readonly knowsKeys?: boolean;
  /** Whether probes find existing effects. */
  readonly canFind?: boolean;
}

interface MachineParts {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  readonly tampering: Tampering;
  /** Called after each death of a process. */
  readonly onDeath: () => void;
}

/** A machine with a disk, on which processes start and die, and the world around it. */
interface Machine {
  readonly disk: Disk;
  readonly world: World;
  begin(name: string): { readonly process: SimulatedProcess; readonly parts: Parts };
}

export function createMachine({
  scenario,
  random,
  timeline,
  fate,
  tampering,
  onDeath,
}: MachineParts): Machine {
  const processes = new Set<SimulatedProcess>();
  const disk = createDisk({ random: random.fork('disk'), timeline, fate, processes });
  const world = createWorld({
    random: random.fork('world'),
    timeline,
    fate,
    behaviours: scenario.behaviours,
    knowsKeys: tampering.knowsKeys ?? true,
    hasProbes: scenario.hasProbes,
    canFind: tampering.canFind ?? true,
  });
  const blobs = createMemoryBlobs(() => timeline.now);
  const mind = { random: random.fork('mind'), timeline, fate, scenario };
  return {
    disk,
    world,
    begin(name) {
      const process = createSimulatedProcess(name);
      processes.add(process);
      process.onDeath(() => {
        processes.delete(process);
        onDeath();
      });
      const journal = createSimulatedJournal(disk, process);
      const parts: Parts = {
        journal: tampering.journal?.(journal) ?? journal,
        blobs: blobsFor(blobs, process),
        clock: timeline.clockFor(process),
        toolbox: world.toolboxFor(process),
        mind: createSimulatedMind(mind, process),
        check: () => [],
        secrets: [],
        driver: name,
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
export function createSimulatedJournal(disk: Disk, process: SimulatedProcess): Journal {
  const holder = ({ claim }: SimulatedFile) => (claim?.by.isAlive === true ? claim.by : undefined);
  const refuseClaimed = (run: string, file: SimulatedFile) => {
    const by = holder(file);
    if (by !== undefined) drivenElsewhere(run, by.name);
  };
  return {
    create: (run, events) => process.receive(async () => disk.create(run, events)),
    append: (run, after, events, claim) =>
      process.receive(async () => {
        assertFollows(after, events);
        if (claim !== undefined && disk.fileOf(run).claim?.claim !== claim) claimEnded(run);
        await disk.append(run, { by: process, after, events });
      }),
    read: (run, after = 0) =>
      process.receive(async () => {
        const { lines } = disk.fileOf(run);
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
        const claim: Claim = {
          lost: NEVER_LOST,
          release: () =>
            process.receive(async () => {
              if (file.claim?.claim === claim) file.claim = undefined;
            }),
        };
        file.claim = { by: process, claim };
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

/** A simulated process. After its death its code may still run, but has no effect on the world. */
export interface SimulatedProcess {
  readonly name: string;
  readonly isAlive: boolean;
  die(): void;
  onDeath(told: () => void): void;
  /** A promise of a dead process never settles. */
  receive<T>(work: () => Promise<T>): Promise<T>;
}

export function createSimulatedProcess(name: string): SimulatedProcess {
  const mourners: (() => void)[] = [];
  let isAlive = true;
  return {
    name,
    get isAlive() {
      return isAlive;
    },
    die() {
      if (!isAlive) return;
      isAlive = false;
      for (const told of mourners) told();
    },
    onDeath: (told) => void mourners.push(told),
    receive: (work) =>
      new Promise((resolve, reject) => {
        if (!isAlive) return;
        work().then(
          (value) => isAlive && resolve(value),
          (error) => isAlive && reject(error),
        );
      }),
  };
}
