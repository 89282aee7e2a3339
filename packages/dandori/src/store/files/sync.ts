import { fdatasync } from 'node:fs';

interface Asked {
  readonly fd: number;
  readonly done: (error: Error | null) => void;
}

let asked: Asked[] = [];
let running = 0;

/**
 * Resolves when the content of the file is on the disk. A lone sync begins at once. Files that come while syncs are
 * running are synced together, after those have ended. With a thousand runs, waking a thread for each of them takes as
 * long as the syncs themselves.
 */
export function syncData(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    asked.push({ fd, done: (error) => (error === null ? resolve() : reject(error)) });
    if (running === 0) syncAsked();
  });
}

function syncAsked(): void {
  const together = asked;
  asked = [];
  running = together.length;
  for (const { fd, done } of together)
    fdatasync(fd, (error) => {
      done(error);
      if (--running === 0 && asked.length > 0) syncAsked();
    });
}
