/**
 * A process that runs the commands of many tests, one after the other: `command-process.ts START`. START is the file with
 * which a real `dandori` begins. A command finds its own folder, environment, arguments and output here, as it would in a
 * process of its own, and does not have to load its modules again.
 */
import { enableCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Answered, Asked } from './commands.ts';

const [START = ''] = process.argv.slice(2);
const quit = process.exit.bind(process);
const written = { stdout: '', stderr: '' };
const LEFT = new Error('The command has ended its process.');
let count = 0;

enableCompileCache();
for (const name of ['stdout', 'stderr'] as const) gather(name);
process.on('uncaughtException', fail);
process.on('disconnect', () => quit());
process.on('message', (asked: Asked) => void carryOut(asked));
const atRest = open();

async function carryOut({ args, folder, env }: Asked): Promise<void> {
  written.stdout = '';
  written.stderr = '';
  process.chdir(folder);
  process.argv = [process.execPath, START, ...args];
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  process.exit = (code) => {
    leave(Number(code ?? process.exitCode ?? 0));
    // What the command would do next it must not do.
    throw LEFT;
  };
  try {
    // Only the first module is evaluated again: the parts of which it is made are there already.
    await import(`${pathToFileURL(START).href}?${count++}`);
  } catch (error) {
    return fail(error);
  }
  // A process of its own would live as long as something is open.
  while (open().some((kind) => !atRest.includes(kind))) await sleep(2);
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  process.send?.({ code: Number(process.exitCode ?? 0), ...written } satisfies Answered);
}

function gather(name: 'stdout' | 'stderr'): void {
  type Done = (error?: Error | null) => void;
  process[name].write = (chunk: string | Uint8Array, ...more: unknown[]) => {
    written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = more.find((one): one is Done => typeof one === 'function');
    if (done !== undefined) setImmediate(done);
    return true;
  };
}

/** What keeps a process alive. */
function open(): string[] {
  return process.getActiveResourcesInfo();
}

/** At once, with what was written up to now. */
function leave(code: number): void {
  process.send?.({ code, ...written, isLast: true } satisfies Answered, () => quit(code));
}

function fail(error: unknown): void {
  if (error === LEFT) return;
  written.stderr += error instanceof Error ? error.stack : String(error);
  leave(1);
}
