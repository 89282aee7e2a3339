import { spawn } from 'node:child_process';
import { logIn, logOut } from '../../app/index.ts';
import type { Config } from '../../config/index.ts';
import { DandoriError, messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { printable, styleFor } from '../style.ts';
import { textsFor } from '../texts.ts';
import { findServer } from './connect.ts';

type Server = Config['mcpServers'][string];

/** Long enough to look for a password. */
const TIMEOUT = 10 * 60_000;

export interface LoginOptions {
  readonly config?: string;
  readonly device?: boolean;
  /** False for `--no-browser`. */
  readonly browser?: boolean;
  readonly json?: boolean;
}

export async function login(name: string, options: LoginOptions): Promise<number> {
  await logInTo(name, await findServer(name, options.config), options);
  if (options.json === true) process.stdout.write(`${stringifyJson({ server: name, loggedIn: true })}\n`);
  return 0;
}

export async function logout(name: string, options: { config?: string; json?: boolean }): Promise<number> {
  const wasThere = await logOut(remote(name, await findServer(name, options.config)));
  const { login: words } = textsFor({});
  if (options.json === true)
    process.stdout.write(`${stringifyJson({ server: name, loggedOut: wasThere })}\n`);
  else process.stdout.write(`${wasThere ? words.out(name) : words.none(name)}\n`);
  return 0;
}

/** Shows the address, opens it unless `--no-browser` is set, and waits for the user. */
export async function logInTo(
  name: string,
  server: Server | undefined,
  { device = false, browser = true, json }: LoginOptions,
): Promise<void> {
  const { login: words } = textsFor({});
  const style = styleFor(process.stderr);
  const open = (url: string, code?: string) => {
    process.stderr.write(`${words.open(name)}\n  ${style.bold(printable(url))}\n`);
    if (code !== undefined) process.stderr.write(`${words.code(style.bold(printable(code)))}\n`);
    if (browser && !device && process.stderr.isTTY === true) openBrowser(url);
  };
  try {
    await logIn(remote(name, server), { open, device, timeout: TIMEOUT });
  } catch (error) {
    if (error instanceof DandoriError) throw error;
    throw new DandoriError('login-failed', `Cannot log in to ${name}: ${messageOf(error)}`, {
      cause: error,
      fix: 'Try again, with --device on a machine without a browser, or set its headers in the configuration.',
    });
  }
  if (json !== true) process.stderr.write(`${style.green('✓')} ${words.done(name)}\n`);
}

function remote(name: string, server: Server | undefined): Extract<Server, { transport: 'http' }> {
  if (server?.transport === 'http') return server;
  throw new DandoriError('usage', `${name} has no address, so there is nothing to log in to.`, {
    fix: '`dandori list` shows the address of each server.',
  });
}

/** The address comes from the server, so only a web address is opened. */
function openBrowser(url: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  // Without a browser the user opens the address that is shown.
  child.on('error', () => {});
  child.unref();
}
