import { Worker } from 'node:worker_threads';

const MAX_MEMORY_BYTES = 512 * 1024 * 1024;
const CHECK_EVERY_MS = 50;

/**
 * Ends this process if a query takes too long or too much memory. A running query blocks its thread, and the server
 * that could kill this process may be gone.
 */
export function startWatchdog(timeLimitMs: number): { begin(): void; end(): void } {
  const begunAt = new Float64Array(new SharedArrayBuffer(8));
  const worker = new Worker(WATCH, {
    eval: true,
    workerData: { begunAt, timeLimitMs, MAX_MEMORY_BYTES, CHECK_EVERY_MS },
  });
  worker.unref();
  return {
    begin() {
      begunAt[0] = Date.now();
    },
    end() {
      begunAt[0] = 0;
    },
  };
}

// As text, because the build would rename a worker file.
const WATCH = `
  const { begunAt, timeLimitMs, MAX_MEMORY_BYTES, CHECK_EVERY_MS } = require('node:worker_threads').workerData;
  setInterval(() => {
    const isLate = begunAt[0] > 0 && Date.now() - begunAt[0] > timeLimitMs + 1000;
    if (isLate || process.memoryUsage.rss() > MAX_MEMORY_BYTES) process.kill(process.pid, 'SIGKILL');
  }, CHECK_EVERY_MS);
`;
