import { type ChildProcess, fork } from 'node:child_process';
import { problemOf } from './problems.ts';
import type { Reply, Request } from './reader.ts';

/** The time to start Node and open the file does not count against the query. */
const START_ALLOWANCE_MS = 5000;

/** Runs queries in a separate process: JavaScript can't interrupt SQLite, but it can kill a process. */
export class ReaderProcess {
  readonly #databasePath: string;
  readonly #timeLimitMs: number;
  #child: ChildProcess | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(databasePath: string, timeLimitMs: number) {
    this.#databasePath = databasePath;
    this.#timeLimitMs = timeLimitMs;
  }

  async ask(request: Request, signal: AbortSignal): Promise<Record<string, unknown>> {
    const turn = this.#queue.then(() => this.#exchange(request, signal));
    this.#queue = turn.catch(() => undefined);
    const reply = await turn;
    if ('error' in reply) throw problemOf(reply.error);
    return reply.value;
  }

  #exchange(request: Request, signal: AbortSignal): Promise<Reply> {
    if (signal.aborted) return Promise.resolve({ error: 'The request was cancelled.' });
    const isWarm = this.#child !== undefined;
    const child = this.#child ?? this.#start();
    return new Promise((resolve) => {
      const finish = (reply: Reply, isBroken: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        child.removeAllListeners('message').removeAllListeners('exit').removeAllListeners('error');
        if (isBroken) {
          this.#child = undefined;
          // A killed child may still report an error, and nothing else handles it then.
          child.on('error', () => undefined);
          child.kill('SIGKILL');
        }
        resolve(reply);
      };
      const seconds = this.#timeLimitMs / 1000;
      const timer = setTimeout(
        () =>
          finish(
            {
              error: `The query was stopped after ${seconds} s. Add a LIMIT or a WHERE, or end the recursion.`,
            },
            true,
          ),
        this.#timeLimitMs + (isWarm ? 0 : START_ALLOWANCE_MS),
      );
      const cancel = (): void => finish({ error: 'The request was cancelled.' }, true);
      signal.addEventListener('abort', cancel, { once: true });
      child.once('message', (reply) => finish(reply as Reply, false));
      child.once('exit', () =>
        finish({ error: 'The query was stopped: it needed too much time or memory. Ask for less.' }, true),
      );
      child.once('error', (error) => finish({ error: `The database reader failed: ${error.message}` }, true));
      child.send(request);
    });
  }

  #start(): ChildProcess {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const child = fork(
      new URL(`./reader.${extension}`, import.meta.url),
      [this.#databasePath, String(this.#timeLimitMs)],
      // stdout of the server belongs to the protocol.
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--disable-warning=ExperimentalWarning'] },
    );
    this.#child = child;
    return child;
  }
}
