import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM } from '../program.ts';

/** A process of the cluster: `dandori serve` or `dandori work`. */
export interface Member {
  readonly kind: 'serve' | 'work';
  readonly child: ChildProcess;
  /** The address of a server. Undefined for a worker. */
  readonly url: string | undefined;
  /** The last lines that it wrote. */
  readonly said: readonly string[];
  /** Ends it and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** PostgreSQL in a process of its own. */
export interface Database {
  readonly url: string;
  /** Stops it and starts it again. `crash` does not let it write anything before it stops. */
  restart(how: 'restart' | 'crash'): Promise<void>;
  close(): Promise<void>;
}

const MOST_LINES = 200;

/** `folder`: where its data are kept. Without it they are removed at the end. */
export async function startDatabase({
  folder,
  isDurable = true,
}: {
  folder?: string;
  isDurable?: boolean;
} = {}): Promise<Database> {
  const server = join(import.meta.dirname, '../postgres/server.ts');
  const args = [server, ...(isDurable ? ['--durable'] : []), ...(folder === undefined ? [] : [folder])];
  // In a group of its own: Ctrl-C at a terminal must reach the servers and workers first.
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const lines = createInterface(child.stdout);
  const exited = once(child, 'exit');
  const started = async (): Promise<string> => {
    const [line] = await Promise.race([once(lines, 'line'), exited]);
    if (typeof line !== 'string') throw new Error(`PostgreSQL did not start (${line}).`);
    return line;
  };
  const url = await started();
  return {
    url,
    async restart(how) {
      const back = started();
      child.stdin.write(`${how}\n`);
      await back;
    },
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}

interface MemberOptions {
  readonly folder: string;
  readonly config: string;
  readonly port?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly onLine?: (line: string) => void;
}

/** Starts a process of the cluster, and waits until it works. */
export async function startMember(
  kind: Member['kind'],
  { folder, config, port = 0, env = process.env, onLine }: MemberOptions,
): Promise<Member> {
  const address = kind === 'serve' ? ['--port', String(port)] : [];
  const args = [PROGRAM, kind, '--config', config, ...address];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, NO_COLOR: '1', DANDORI_LANG: 'en' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  void exited.then(() => process.removeListener('exit', kill));
  const said: string[] = [];
  let url: string | undefined;
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      onLine?.(line);
      said.push(line);
      if (said.length > MOST_LINES) said.shift();
      url ??= /running at (http:\S+)/.exec(line)?.[1];
      if (url !== undefined || line.includes('drives the runs')) resolve();
    });
    child.once('error', reject);
    void exited.then(() => reject(new Error(`dandori ${kind} ended:\n${said.join('\n')}`)));
  });
  return {
    kind,
    child,
    url,
    said,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}

/** Writes a configuration whose runs are in the database. JSON is YAML. */
export async function writeConfig(folder: string, config: object, name = 'dandori'): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, JSON.stringify(config, undefined, 2));
  return file;
}
