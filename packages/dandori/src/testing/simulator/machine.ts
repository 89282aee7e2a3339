import { createMemoryBlobs } from '../../adapters/blobs/memory.ts';
import type { Parts } from '../../engine/parts.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Journal } from '../../ports/journal.ts';
import { createDisk, type Disk } from './disk.ts';
import type { Fate } from './faults.ts';
import type { Random } from './random.ts';
import type { Scenario } from './scenario.ts';
import { createSimulatedJournal } from './simulated-journal.ts';
import { createSimulatedMind } from './simulated-mind.ts';
import { createSimulatedProcess, type SimulatedProcess } from './simulated-process.ts';
import type { Timeline } from './timeline.ts';
import { createWorld, type World } from './world.ts';

/** Parts put in the place of others, to see that a broken one is found out. */
export interface Tampering {
  readonly journal?: (journal: Journal) => Journal;
  /** Whether tools that say that they know keys do. */
  readonly knowsKeys?: boolean;
  /** Whether probes find what is there. */
  readonly canFind?: boolean;
}

export interface MachineParts {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  readonly tampering: Tampering;
  /** Is told whenever a process has come to its end. */
  readonly onDeath: () => void;
}

/** A machine with a disk on which processes begin and die, and the world around it. */
export interface Machine {
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
