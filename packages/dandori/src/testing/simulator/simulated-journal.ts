import { assertFollows, conflict, drivenElsewhere } from '../../adapters/journal/refusal.ts';
import { summarise } from '../../adapters/journal/summary.ts';
import type { Claim, Journal } from '../../ports/journal.ts';
import type { Disk, SimulatedFile } from './disk.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** The journal as one process of the simulation sees it. */
export function createSimulatedJournal(disk: Disk, process: SimulatedProcess): Journal {
  const holder = ({ claim }: SimulatedFile) => (claim?.by.isAlive === true ? claim.by : undefined);
  const refuseClaimed = (run: string, file: SimulatedFile) => {
    const by = holder(file);
    if (by !== undefined) drivenElsewhere(run, by.name);
  };
  return {
    create: (run, events) => process.receive(async () => disk.create(run, events)),
    append: (run, after, events) =>
      process.receive(async () => {
        assertFollows(after, events);
        await disk.append(run, { by: process, after, events });
      }),
    read: (run, after = 0) =>
      process.receive(async () => {
        const { lines } = disk.fileOf(run);
        return lines.slice(after).map(({ event }) => event);
      }),
    list: ({ limit = Number.POSITIVE_INFINITY, before } = {}) =>
      process.receive(async () => {
        const names = [...disk.files.keys()].sort().reverse();
        const chosen = names.filter((name) => before === undefined || name < before).slice(0, limit);
        return chosen.map((name) => {
          const { lines } = disk.fileOf(name);
          return summarise(name, lines[0]?.event, lines.at(-1)?.event);
        });
      }),
    claim: (run) =>
      process.receive(async (): Promise<Claim> => {
        const file = disk.fileOf(run);
        refuseClaimed(run, file);
        const mine = { by: process };
        file.claim = mine;
        return {
          release: () =>
            process.receive(async () => {
              if (file.claim === mine) file.claim = undefined;
            }),
        };
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
      const { watchers } = disk.fileOf(run);
      const watcher = { by: process, changed };
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
