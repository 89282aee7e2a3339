import { fdatasync } from 'node:fs';

interface Asked {
  readonly fd: number;
  readonly done: (error: Error | null) => void;
}

/** The threads that Node has for the disk, by default. */
const AT_ONCE = 4;

let asked: Asked[] = [];
let running = 0;

/**
 * Resolves when the content of the file is on the disk. Each file gets its own sync. While all threads are busy, further
 * syncs are collected and begin together. With a thousand runs, waking a thread for each would take as long as the
 * syncs themselves.
 */
export function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    asked.push({ fd, done: (error) => (error === null ? resolve() : reject(error)) });
    syncAsked();
  });
}

function syncAsked(): void {
  if (running >= AT_ONCE || asked.length === 0) return;
  const together = asked;
  asked = [];
  running += together.length;
  for (const { fd, done } of together)
    fdatasync(fd, (error) => {
      running--;
      done(error);
      syncAsked();
    });
}
