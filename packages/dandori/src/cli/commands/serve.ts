import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { DandoriError, messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { role as roles } from '../../model/settings.ts';
import { warnAboutServers } from '../announce.ts';
import { asTyped } from '../command-line.ts';
import { styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';

export interface ServeOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  /** `provider/name`, instead of the configured model. */
  readonly model?: string;
  /** How many processes drive the runs, instead of this one. */
  readonly workers?: string;
}

export async function serve(options: ServeOptions): Promise<number> {
  const port = options.port === undefined ? undefined : portIn(options.port, '--port');
  const workers = options.workers === undefined ? undefined : workersIn(options.workers);
  const { serve: open } = await import('../../server/serve.ts');
  const style = styleFor(process.stderr);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const serving = await open({
    configFile: options.config,
    model: options.model,
    ...(options.host !== undefined && { host: options.host }),
    ...(port !== undefined && { port }),
    ...(workers !== undefined && { workers }),
    startWorker: () => startWorker(options),
    log: (line) => say(`${style.yellow('!')} ${line}`),
  });
  const { server, language } = serving.dandori.config;
  const texts = textsFor({ language });
  say(texts.serving.at(serving.url));
  if (server.tokens.length === 0) say(style.dim(asTyped(texts.serving.open, options.config)));
  warnAboutServers(serving.dandori, texts);
  await toldToStop(() => say(texts.serving.stopping(server.grace / 1000)));
  await serving.close();
  return 0;
}

/** A process that drives runs for this server, with the same configuration and the same Node. */
function startWorker({ config, model }: ServeOptions): ReturnType<typeof fork> {
  const [, program = ''] = process.argv;
  const same = [
    ...(config === undefined ? [] : ['--config', config]),
    ...(model === undefined ? [] : ['--model', model]),
  ];
  return fork(program, ['work', '--for-server', ...same], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

export interface WorkOptions extends Pick<ServeOptions, 'config' | 'host' | 'model'> {
  /** The port for requests about its health. */
  readonly health?: string;
  /** `dandori serve` has started this process and says which runs to drive. */
  readonly forServer?: boolean;
}

/** Drives runs without serving them. */
export async function work({ config, model, health, host, forServer }: WorkOptions): Promise<number> {
  if (forServer === true) return workForServer({ config, model });
  const port = health === undefined ? undefined : portIn(health, '--health');
  const { serve: open } = await import('../../server/serve.ts');
  const style = styleFor(process.stderr);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const log = (line: string) => say(`${style.yellow('!')} ${line}`);
  const listens = port === undefined ? false : 'health';
  const working = await open({
    configFile: config,
    model,
    listens,
    log,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  });
  const { server, language } = working.dandori.config;
  const texts = textsFor({ language });
  say(texts.serving.working(server.maxRuns));
  warnAboutServers(working.dandori, texts);
  // Without a server that listens, nothing else keeps the process alive.
  const alive = setInterval(() => {}, 60_000);
  await toldToStop(() => say(texts.serving.stopping(server.grace / 1000)));
  clearInterval(alive);
  await working.close();
  return 0;
}

/** Drives the runs that the server names, until the server ends. */
async function workForServer(options: Pick<WorkOptions, 'config' | 'model'>): Promise<number> {
  if (process.send === undefined)
    throw new DandoriError('usage', '--for-server is only for processes that `dandori serve` starts.', {
      fix: 'Start `dandori work` without it.',
    });
  const { openParentLine } = await import('../../workers/index.ts');
  const { serve: open } = await import('../../server/serve.ts');
  const line = openParentLine();
  const { config: configFile, model } = options;
  const log = (text: string) => process.stderr.write(`! ${text}\n`);
  const working = await open({ configFile, model, listens: false, line, log });
  await line.ended;
  await working.close().catch((error: unknown) => log(messageOf(error)));
  // A tool that did not stop must not keep the process alive.
  process.exit();
}

/** The second signal quits at once. This is safe, because everything important is in the journals. */
function toldToStop(onStop: () => void): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    const stop = () => {
      if (++count > 1) process.exit(130);
      onStop();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
    // Closing the terminal also stops the server gracefully, and not in the middle of a call.
    process.on('SIGHUP', stop);
  });
}

function portIn(text: string, option: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new DandoriError('usage', `${option} takes a number from 0 to 65535, not "${text}".`);
}

const MOST_WORKERS = 64;

function workersIn(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= MOST_WORKERS) return Number(text);
  throw new DandoriError('usage', `--workers takes a number from 0 to ${MOST_WORKERS}, not "${text}".`);
}

export interface TokenOptions {
  readonly user: string;
  readonly role: string;
  readonly json?: boolean;
}

/** The token has 256 random bits, so a plain hash of it is safe to store. */
export async function token({ user, role, json }: TokenOptions): Promise<number> {
  if (!roles.safeParse(role).success)
    throw new DandoriError('usage', `--role is one of ${roles.options.join(', ')}, not "${role}".`);
  const made = `dandori_${randomBytes(32).toString('base64url')}`;
  const sha256 = createHash('sha256').update(made).digest('hex');
  if (json === true) {
    process.stdout.write(`${stringifyJson({ token: made, sha256, user, role })}\n`);
    return 0;
  }
  const { tokenMade, tokenEntry } = textsFor({}).serving;
  process.stderr.write(`${tokenMade}\n`);
  process.stdout.write(`${made}\n`);
  process.stderr.write(`${tokenEntry}\n`);
  process.stdout.write(`- { sha256: ${sha256}, user: ${stringifyJson(user)}, role: ${role} }\n`);
  return 0;
}
