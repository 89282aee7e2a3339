import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isObject, parseJson, stringifyJson } from '../../model/json.ts';
import type { HttpServerConfig } from './config.ts';

/** What is kept of a login. One file per server, outside of any project, for its owner alone. */
interface Login {
  readonly url: string;
  readonly redirectUrl?: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  readonly discovery?: OAuthDiscoveryState;
}

/** A login that only the user can give. */
export class LoginNeeded extends Error {
  override readonly name = 'LoginNeeded';

  constructor() {
    super('it wants a login');
  }
}

export interface Redirecting {
  /** Where the browser brings the answer. */
  readonly redirectUrl: string;
  /** Called with the address that the user has to open. */
  readonly open: (url: URL) => void;
}

/** The provider of a login, and its secret state. */
export interface LoginProvider extends OAuthClientProvider {
  /** What the browser must bring back, so that another page cannot log us in. */
  readonly expectedState: string;
}

/**
 * Keeps the login of a server for the OAuth code of the SDK. Without `redirecting` it refreshes tokens, but a new login
 * fails with `LoginNeeded`.
 */
export function createLogin(url: string, redirecting?: Redirecting): LoginProvider {
  const expectedState = randomUUID();
  let verifier = '';
  const change = (changed: Partial<Login>) => writeLogin({ ...readLogin(url), ...changed, url });
  const redirectUrl = () =>
    redirecting?.redirectUrl ?? readLogin(url)?.redirectUrl ?? 'http://127.0.0.1/callback';
  return {
    expectedState,
    get redirectUrl() {
      return redirectUrl();
    },
    get clientMetadata(): OAuthClientMetadata {
      return {
        client_name: 'Dandori',
        redirect_uris: [redirectUrl()],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      };
    },
    state: () => expectedState,
    // A registration counts for one redirect address. Many servers compare it with its port.
    clientInformation: () => {
      const login = readLogin(url);
      return login?.redirectUrl === redirectUrl() ? login.client : undefined;
    },
    saveClientInformation: (client) => change({ client, redirectUrl: redirectUrl() }),
    tokens: () => {
      const tokens = readLogin(url)?.tokens;
      remember(tokens);
      return tokens;
    },
    saveTokens: (tokens) => {
      remember(tokens);
      change({ tokens });
    },
    redirectToAuthorization: (address) => {
      if (redirecting === undefined) throw new LoginNeeded();
      redirecting.open(address);
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    discoveryState: () => readLogin(url)?.discovery,
    saveDiscoveryState: (discovery) => change({ discovery }),
    invalidateCredentials: (scope) => {
      const { client, tokens, discovery, ...rest } = readLogin(url) ?? { url };
      const isAll = scope === 'all';
      writeLogin({
        ...rest,
        ...(client !== undefined && !isAll && scope !== 'client' && { client }),
        ...(tokens !== undefined && !isAll && scope !== 'tokens' && { tokens }),
        ...(discovery !== undefined && !isAll && scope !== 'discovery' && { discovery }),
      });
    },
  };
}

/** The login to use for the calls to a server. Undefined if there is none, or if the user sends a header instead. */
export function storedLogin({ url, headers = {} }: HttpServerConfig): OAuthClientProvider | undefined {
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return !hasHeader && hasLogin(url) ? createLogin(url) : undefined;
}

function hasLogin(url: string): boolean {
  return readLogin(url)?.tokens !== undefined;
}

/** Whether there was one. */
export function forgetLogin(url: string): boolean {
  const isThere = existsSync(fileOf(url));
  rmSync(fileOf(url), { force: true });
  return isThere;
}

/** The port that the last login listened on. Its registration counts for that port. */
export function lastPort(url: string): number {
  const { redirectUrl } = readLogin(url) ?? {};
  return redirectUrl === undefined ? 0 : Number(new URL(redirectUrl).port);
}

/** Tokens that this process has used. An error of a server may repeat one. */
const seen = new Set<string>();

export function tokensSeen(): ReadonlySet<string> {
  return seen;
}

function remember(tokens: StoredOAuthTokens | undefined): void {
  for (const token of [tokens?.access_token, tokens?.refresh_token]) if (token !== undefined) seen.add(token);
}

/** `XDG_DATA_HOME`, or where this system keeps the data of programs. */
function loginFolder(): string {
  const { XDG_DATA_HOME: data = '', APPDATA: roaming = '', HOME: home = homedir() } = process.env;
  const own = process.platform === 'win32' && roaming !== '' ? roaming : join(home, '.local/share');
  return join(data === '' ? own : data, 'dandori', 'logins');
}

function fileOf(url: string): string {
  return join(loginFolder(), `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);
}

function readLogin(url: string): Login | undefined {
  try {
    const found = parseJson(readFileSync(fileOf(url), 'utf8'));
    return isObject(found) && found.url === url ? (found as object as Login) : undefined;
  } catch {
    // No file, or one that a crash of the machine has damaged: the user logs in again.
    return undefined;
  }
}

function writeLogin(login: Login): void {
  const folder = loginFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const file = fileOf(login.url);
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, stringifyJson(login, 2), { mode: 0o600 });
  renameSync(draft, file);
}
