import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '../../src/model/event.ts';
import { splitLine } from '../../src/store/files/line.ts';
import { IS_LONG } from '../long.ts';
import { PROGRAM } from '../program.ts';
import { type Finished, runCommand } from './commands.ts';

export type { Finished } from './commands.ts';

/** A folder of its own in which the real command is run, as a user would. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
  /** The environment of a command. */
  readonly env: NodeJS.ProcessEnv;
  write(name: string, text: string): Promise<string>;
  /** Runs a command to its end, in a process that other commands share; `npm run test:long` gives each a process of its own. */
  dandori(...args: string[]): Promise<Finished>;
  /** The ids of the runs in the store. */
  runs(): Promise<string[]>;
  /** The journal of a run as it stands on the disk. */
  journal(run: string): Promise<string>;
  /** The events of its whole lines. */
  events(run: string): Promise<Event[]>;
  /** Starts it in a process of its own, without waiting for its end. */
  begin(...args: string[]): { child: ChildProcess; finished: Promise<Finished> };
}

export async function openPlace(env: NodeJS.ProcessEnv = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-cli-'));
  const surroundings = { ...ownEnvironment(), XDG_DATA_HOME: join(folder, 'data'), ...env };
  const directory = join(folder, '.dandori', 'runs');
  const begin = (...args: string[]) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env: surroundings,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const finished = new Promise<Finished>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    return { child, finished };
  };
  const journal = (run: string) => readFile(join(directory, `${run}.jsonl`), 'utf8');
  return {
    folder,
    env: surroundings,
    async write(name, text) {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    dandori: (...args) =>
      IS_LONG ? begin(...args).finished : runCommand({ args, folder, env: surroundings }),
    begin,
    async runs() {
      const names = await readdir(directory).catch((): string[] => []);
      return names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length));
    },
    journal,
    async events(run) {
      const lines = (await journal(run)).split('\n').slice(0, -1);
      return lines
        .flatMap((line) => splitLine(line, run))
        .map((line) => ({ v: 2, run, ...JSON.parse(line) }));
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * The environment of a user who has set nothing: neither what npm tells the scripts that it starts, nor what they have
 * set for Dandori themselves. The cache is shared, as it is between two starts of a user.
 */
function ownEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|DANDORI_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    NO_COLOR: '1',
    LANG: 'C',
    XDG_CACHE_HOME: join(tmpdir(), 'dandori-cli-cache'),
  };
}
