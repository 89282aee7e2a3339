import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  auth,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  registerClient,
} from '@modelcontextprotocol/client';
import { isObject } from '../../model/json.ts';
import type { HttpServerConfig } from './config.ts';
import { createLogin, type LoginProvider, lastPort } from './oauth.ts';

export interface LoginOptions {
  /** Called with the address that the user has to open, and the code to enter there if it does not contain one. */
  readonly open: (url: string, code?: string) => void;
  /** The device flow: the user may open the address on another machine. */
  readonly device?: boolean;
  readonly signal: AbortSignal;
}

/** Logs the user in to a server and stores the tokens. Rejects with an `Error` that says why it cannot. */
export async function logIn(config: HttpServerConfig, options: LoginOptions): Promise<void> {
  const challenge = await askForChallenge(config, options.signal);
  if (options.device === true) return deviceFlow(config, challenge, options);
  const callback = await listen(lastPort(config.url), options.signal);
  try {
    const provider = createLogin(config.url, {
      redirectUrl: callback.url,
      open: (url) => options.open(url.href),
    });
    const request = { serverUrl: config.url, ...challenge };
    if ((await auth(provider, { ...request, forceReauthorization: true })) === 'AUTHORIZED') return;
    const { code, iss } = await callback.answer(provider);
    await auth(provider, { ...request, authorizationCode: code, ...(iss !== undefined && { iss }) });
  } finally {
    callback.close();
  }
}

type Challenge = Pick<Parameters<typeof auth>[1], 'resourceMetadataUrl' | 'scope'>;

/** What the server says about its authorization server when it is called without a token. */
async function askForChallenge({ url, headers }: HttpServerConfig, signal: AbortSignal): Promise<Challenge> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":0,"method":"ping"}',
    signal,
  });
  await response.body?.cancel();
  if (!response.headers.has('www-authenticate')) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
  };
}

interface Callback {
  readonly url: string;
  answer(provider: LoginProvider): Promise<{ readonly code: string; readonly iss: string | undefined }>;
  close(): void;
}

/** A small server on this machine only, to which the browser brings the code. */
async function listen(port: number, signal: AbortSignal): Promise<Callback> {
  let arrive: (params: URLSearchParams) => void = () => {};
  const arrived = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve;
  });
  // Not by `import`, as in `http.ts`.
  const server = process.getBuiltinModule('node:http').createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname !== '/callback') {
      response.writeHead(404).end();
      return;
    }
    const isGood = searchParams.has('code');
    response.writeHead(isGood ? 200 : 400, {
      'content-type': 'text/html; charset=utf-8',
      connection: 'close',
    });
    response.end(`<!doctype html><title>Dandori</title><p>${isGood ? DONE : REFUSED}</p>`);
    arrive(searchParams);
  });
  const bind = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await bind(port).catch(() => bind(0));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async answer(provider) {
      const params = await Promise.race([arrived, aborted(signal)]);
      const error = params.get('error');
      if (error !== null)
        throw new Error(`the login was refused: ${params.get('error_description') ?? error}`);
      if (params.get('state') !== provider.expectedState)
        throw new Error('the answer of the browser belongs to another login');
      return { code: params.get('code') ?? '', iss: params.get('iss') ?? undefined };
    },
    close,
  };
}

const DONE =
  'You are logged in. You can close this window. / ログインしました。このウィンドウを閉じてください。';
const REFUSED = 'The login was refused. / ログインできませんでした。';

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the login was not completed in time')), {
      once: true,
    });
  });
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** RFC 8628. The SDK has no code for it. */
async function deviceFlow(
  { url }: HttpServerConfig,
  { resourceMetadataUrl, scope }: Challenge,
  { open, signal }: LoginOptions,
): Promise<void> {
  const info = await discoverOAuthServerInfo(url, { ...(resourceMetadataUrl && { resourceMetadataUrl }) });
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = info;
  const issuer = metadata?.issuer ?? authorizationServerUrl;
  const { device_authorization_endpoint: endpoint }: Readonly<Record<string, unknown>> = { ...metadata };
  if (metadata === undefined || typeof endpoint !== 'string')
    throw new Error('its authorization server has no device flow; log in with a browser');
  const provider = createLogin(url);
  const client = await registerClient(authorizationServerUrl, {
    metadata,
    clientMetadata: {
      client_name: 'Dandori',
      redirect_uris: [],
      grant_types: [DEVICE_GRANT, 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
  });
  const resource = resourceMetadata?.resource ?? url;
  const wanted = scope ?? resourceMetadata?.scopes_supported?.join(' ');
  const common = { client_id: client.client_id, resource };
  const begun = await post(endpoint, { ...common, ...(wanted !== undefined && { scope: wanted }) }, signal);
  open(String(begun.verification_uri_complete ?? begun.verification_uri), String(begun.user_code));
  const interval = Number(begun.interval);
  // Five seconds is the default of the RFC. A server that says nothing usable must not be flooded.
  for (let wait = interval > 0 ? interval : 5; ; ) {
    await Promise.race([delay(wait * 1000, undefined, { signal }).catch(() => {}), aborted(signal)]);
    const answer = await post(
      metadata.token_endpoint,
      { ...common, grant_type: DEVICE_GRANT, device_code: String(begun.device_code) },
      signal,
    );
    if (typeof answer.access_token === 'string') {
      await provider.saveDiscoveryState?.({
        authorizationServerUrl: String(authorizationServerUrl),
        authorizationServerMetadata: metadata,
        ...(resourceMetadata !== undefined && { resourceMetadata }),
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: String(resourceMetadataUrl) }),
      });
      await provider.saveClientInformation?.({ ...client, issuer: String(issuer) });
      await provider.saveTokens({
        access_token: answer.access_token,
        token_type: String(answer.token_type ?? 'Bearer'),
        ...(typeof answer.refresh_token === 'string' && { refresh_token: answer.refresh_token }),
        ...(typeof answer.expires_in === 'number' && { expires_in: answer.expires_in }),
        issuer: String(issuer),
      });
      return;
    }
    if (answer.error === 'slow_down') wait += 5;
    else if (answer.error !== 'authorization_pending')
      throw new Error(`the login was refused: ${String(answer.error_description ?? answer.error)}`);
  }
}

async function post(
  url: string,
  fields: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), signal });
  const answer: unknown = await response.json().catch(() => undefined);
  if (isObject(answer)) return answer;
  throw new Error(`${new URL(url).origin} answered with HTTP ${response.status}`);
}
