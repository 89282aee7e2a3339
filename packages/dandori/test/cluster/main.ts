/**
 * PostgreSQL, servers and workers on this machine, for trying: `npm run cluster`. Ctrl-C ends all of them. Everything is
 * in one folder, so that the next start continues.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { type Member, startDatabase, startMember, writeConfig } from './cluster.ts';
import { dispatcherNamed, startDispatcher } from './dispatcher.ts';

const USAGE =
  'npm run cluster -- [--servers 1] [--workers 2] [--port 4100] [--config dandori.yaml] [--folder .dandori/cluster] [--dispatcher pg-boss|built-in|restate]';

const values = options();
const folder = resolve(values.folder);
const port = Number(values.port);
const say = (line: string) => process.stdout.write(`${line}\n`);

await mkdir(folder, { recursive: true });
const dispatcher = await startDispatcher(values.dispatcher);
const database = await startDatabase({ folder: join(folder, 'postgres') });
const given: object = values.config === undefined ? {} : parse(await readFile(values.config, 'utf8'));
const store = { type: 'postgres', url: database.url, lease: '5s', ...dispatcher.options };
const where = values.config === undefined ? folder : dirname(resolve(values.config));
const config = await writeConfig(folder, { ...given, store });
const members: Member[] = [];
let ending: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // The second one does not wait.
    if (ending !== undefined) process.exit(130);
    ending = end();
  });

try {
  say(`PostgreSQL   ${database.url}`);
  const { restate } = dispatcher.options;
  if (restate !== undefined) say(`Restate      ${restate.admin}`);
  for (let index = 0; index < Number(values.servers); index++) await start('serve', index);
  for (let index = 0; index < Number(values.workers); index++) await start('work', index);
  say(`Use it       cd ${folder} && dandori run "100 + 200を計算", or open ${members[0]?.url ?? 'a server'}`);
  say('Try it       kill -9 a worker: another one continues its runs after 5 s');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
  ending ??= end();
}
await ending;

async function start(kind: Member['kind'], index: number): Promise<void> {
  if (ending !== undefined) return;
  const name = `${kind === 'serve' ? 'server' : 'worker'} ${index + 1}`;
  const onLine = (line: string) => process.stderr.write(`${name}: ${line}\n`);
  const member = await startMember(kind, {
    folder: where,
    config,
    port: port === 0 ? 0 : port + index,
    onLine,
  });
  members.push(member);
  member.child.once('exit', (code, signal) => ending ?? say(`${name} ended (${signal ?? code}).`));
  say(`${name.padEnd(12)} process ${member.child.pid} ${member.url ?? ''}`);
}

async function end(): Promise<void> {
  say('Stopping…');
  await Promise.all(members.map((member) => member.end('SIGTERM')));
  await database.close();
  await dispatcher[Symbol.asyncDispose]();
  say('Stopped.');
}

function options() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  try {
    const { values } = parseArgs({
      options: {
        servers: text('1'),
        workers: text('2'),
        port: text('4100'),
        folder: text('.dandori/cluster'),
        dispatcher: text('pg-boss'),
        config: { type: 'string' },
      },
    });
    return { ...values, dispatcher: dispatcherNamed(values.dispatcher) };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    process.exit(2);
  }
}
