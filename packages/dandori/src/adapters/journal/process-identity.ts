import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds a lock. The start time tells a living process from another one that got the same number later. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
  readonly host: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? '', host: hostname() };
}

/** A process on another machine cannot be looked at, so it counts as alive. */
export function isAlive({ pid, startedAt, host }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return startedAt === '' || startOf(pid) === startedAt;
}

/** Which start of the machine this is: after a restart numbers and times begin again. */
let boot: string | undefined;

/** Field 22 of /proc/PID/stat; elsewhere unknown, and the number alone must do. */
function startOf(pid: number): string | undefined {
  try {
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state[0] === 'Z' ? undefined : `${boot}/${state[19]}`;
  } catch {
    return undefined;
  }
}
