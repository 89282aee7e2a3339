import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Cost {
  readonly ms: number;
  readonly cpu: number;
}

/** Time and CPU time of this process, in milliseconds. */
export async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpu: (user + system) / 1000 };
}

/** The size of all files in a folder. */
export function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => statSync(join(folder, file)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

/**
 * The most memory that this process ever had, in MB. Linux counts what a process had before it became another program in
 * `maxRSS`, which for a forked process is the memory of its parent. So `VmHWM` is read there.
 */
export function peakMemory(): number {
  const status = '/proc/self/status';
  const high = existsSync(status) ? /^VmHWM:\s+(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1] : undefined;
  return Number(high ?? process.resourceUsage().maxRSS) / 1024;
}
