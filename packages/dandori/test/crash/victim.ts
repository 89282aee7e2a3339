import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '../../src/model/task.ts';
import { splitLine } from '../../src/store/files/line.ts';
import { type ModelServer, startModelServer } from '../../src/testing/index.ts';
import { type Finished, openPlace, type Place } from '../cli/command.ts';
import { service, started } from '../program.ts';

const SERVER = started('crash/fixtures/effects-server.ts');
const SERVICES = service('crash/fixtures/work.ts');

/**
 * When a process is killed: as soon as the journal has grown by so many events or there are so many effects, or so many
 * milliseconds after its start.
 */
export type Kill =
  | { readonly afterEvents: number }
  | { readonly afterEffects: number }
  | { readonly afterMs: number };

/** A run of the real command line on a real journal and a real server that counts, and what is needed to kill it. */
export interface Victim extends AsyncDisposable {
  readonly place: Place;
  /** The names of the expected effects. */
  readonly effects: readonly string[];
  /** The real command, and its end; undefined if it was killed. */
  life(args: readonly string[], kill?: Kill): Promise<Finished | undefined>;
  /** The arguments that start the run. */
  readonly start: readonly string[];
  run(): Promise<string | undefined>;
  /** What really happened, one name for each time; only when no server is at work any more. */
  happened(): Promise<string[]>;
}

/** Reads lead to writes; nothing refers to what a write brought, so that a person who says that it happened changes nothing. */
function tasks(): Task[] {
  const pace = { before: 8, behind: 8 };
  const action = (id: string, tool: string, more: Partial<Task> & { from?: string } = {}): Task => {
    const { from, ...rest } = more;
    return { id, operation: `effects.${tool}`, args: { name: id, ...pace, ...(from && { from }) }, ...rest };
  };
  return [
    action('a', 'look'),
    action('b', 'send', { from: '${a.name}' }),
    action('c', 'put', { after: ['b'] }),
    action('d', 'look', { after: ['c'] }),
    action('e', 'send', { from: '${d.name}' }),
    action('f', 'drop', { after: ['e'] }),
    action('g', 'put', { after: ['f'] }),
    action('h', 'send', { after: ['g'] }),
  ];
}

/** Two tasks whose services make the calls. */
const WORK: readonly { readonly task: Task; readonly names: readonly string[] }[] = [
  ['restock', ['A', 'B', 'C']] as const,
  ['deliver', ['D', 'E', 'F']] as const,
].map(([id, names]) => ({ names, task: { id, operation: `work.${id}`, args: { names: [...names] } } }));

/** What decides on the calls: a plan, a model, or a plan whose tasks are services that make them. */
export type Deciding = 'plan' | 'model' | 'service';

export async function openVictim(by: Deciding): Promise<Victim> {
  const place = await openPlace();
  const directory = join(place.folder, '.dandori', 'runs');
  const file = join(place.folder, 'effects.txt');
  const isService = by === 'service';
  const planned = isService ? WORK.map(({ task }) => task) : tasks();
  place.env.EFFECTS_FILE = file;
  const model = by === 'model' ? await startModel() : undefined;
  await mkdir(directory, { recursive: true });
  await place.write('plan.json', JSON.stringify({ goal: 'count', tasks: planned }));
  await place.write('dandori.yaml', JSON.stringify(configuration(file, model, isService)));
  return {
    place,
    effects: isService
      ? WORK.flatMap(({ names }) => names)
      : planned.filter(({ operation }) => operation !== 'effects.look').map(({ id }) => id),
    start: by !== 'model' ? ['run', '--plan', 'plan.json', '--json'] : ['run', 'count to eight', '--json'],
    run: async () => (await place.runs())[0],
    async life(args, kill) {
      const { child, finished } = place.begin(...args);
      if (kill === undefined) return finished;
      await until(kill, { directory, file, finished });
      child.kill('SIGKILL');
      const end = await finished;
      return end.signal === 'SIGKILL' ? undefined : end;
    },
    async happened() {
      const lines = (name: string) => readLines(`${file}${name}`);
      for (const pid of lines('.pids')) while (isThere(Number(pid))) await sleep(5);
      return lines('').map((line) => line.split(' ')[0] ?? '');
    },
    async [Symbol.asyncDispose]() {
      await model?.[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

function configuration(file: string, model: ModelServer | undefined, isService: boolean): object {
  const env = { EFFECTS_FILE: file };
  return {
    ...(model && { model: { provider: 'openai-compatible', name: 'test', base_url: model.url } }),
    execution: { approval: 'never' },
    ...(isService && { services: [SERVICES] }),
    mcpServers: { effects: { command: process.execPath, args: [SERVER], env } },
  };
}

/** Decides by the prompt and not by the number of requests, because a killed run asks again. */
function startModel(): Promise<ModelServer> {
  return startModelServer(({ body }) => {
    const isDone = JSON.stringify(body).includes('"role":"assistant"');
    return isDone
      ? { actions: [{ id: 'z', operation: 'answer', args: { text: 'counted', achieved: true } }] }
      : { actions: tasks() };
  });
}

/** Watches the journal, so that the kill comes right behind a write of it and not at some moment of the clock. */
async function until(
  kill: Kill,
  { directory, file, finished }: { directory: string; file: string; finished: Promise<unknown> },
): Promise<void> {
  if ('afterMs' in kill) return Promise.race([finished.then(() => {}), sleep(kill.afterMs)]);
  const isEffects = 'afterEffects' in kill;
  const count = () => (isEffects ? readLines(file).length : eventsIn(directory));
  const wanted = isEffects ? kill.afterEffects : eventsIn(directory) + kill.afterEvents;
  let watcher: FSWatcher | undefined;
  const isGrown = new Promise<void>((resolve) => {
    const look = () => count() >= wanted && resolve();
    watcher = watch(isEffects ? dirname(file) : directory, look);
    look();
  });
  await Promise.race([finished, isGrown]);
  watcher?.close();
}

/** In the one journal of the folder, without a line that is still being written. */
function eventsIn(directory: string): number {
  const file = readdirSync(directory).find((name) => name.endsWith('.jsonl'));
  if (file === undefined) return 0;
  const run = file.slice(0, -'.jsonl'.length);
  const whole = readLines(join(directory, file)).filter((line) => /"crc":"\w{8}"\}$/.test(line));
  return whole.flatMap((line) => splitLine(line, run)).length;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
