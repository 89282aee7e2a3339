import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { startOAuthServer } from '../tools/fixtures/oauth-server.ts';
import { openPlace, type Place } from './command.ts';

/** Starts a command, and does in its place what a user does in the browser: opens the address that it shows. */
async function withBrowser(place: Place, args: string[], browse = (url: string) => fetch(url)) {
  const { child, finished } = place.begin(...args);
  const url = await shown(child, /^ {2}(http\S+)$/m);
  const page = await browse(url);
  return { ...(await finished), page, url };
}

async function shown(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = '';
  child.stderr?.on('data', (part) => {
    text += part;
  });
  await expect.poll(() => pattern.exec(text)?.[1] ?? '', { interval: 20 }).not.toBe('');
  return pattern.exec(text)?.[1] ?? '';
}

function logins(place: Place): string[] {
  return readdirSync(join(place.folder, 'data/dandori/logins')).map((name) =>
    join(place.folder, 'data/dandori/logins', name),
  );
}

/** Calls the tool of the guarded server, by a plan. */
async function whoami(place: Place, args: object = {}) {
  await place.write('plan.json', JSON.stringify({ tasks: [{ operation: 'guarded.whoami', args }] }));
  return place.dandori('run', '--plan', 'plan.json', '--json');
}

describe('a server that wants a login', () => {
  it('is added after a login in the browser, its tokens stay outside of the project, and they are refreshed', async () => {
    await using server = await startOAuthServer();
    await using place = await openPlace();
    const locked = await place.dandori('add', 'guarded', server.url);
    expect(locked).toMatchObject({ code: 1, stderr: expect.stringMatching(/wants a login.*with --login/s) });
    expect(server.log).toEqual([]);

    const added = await withBrowser(place, ['add', 'guarded', server.url, '--login']);
    expect(added.code).toBe(0);
    expect(added.page.status).toBe(200);
    expect(added.stdout).toMatch(/guarded\.whoami +Read/);
    expect(server.log).toEqual(['register', 'authorize', 'authorization_code']);
    const [file = ''] = logins(place);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(place.folder, 'dandori.yaml'), 'utf8')).not.toMatch(/at-|rt-/);

    server.expire();
    const first = await whoami(place);
    expect(JSON.parse(first.stdout).outcome).toBe('answered');
    expect(server.log.at(-1)).toBe('refresh_token');
    // The new refresh token is stored: the old one counts only once.
    server.expire();
    expect(JSON.parse((await whoami(place)).stdout).outcome).toBe('answered');

    // An error that repeats the token is not shown or journaled with it.
    const failed = await whoami(place, { fail: true });
    const runs = await place.runs();
    const journals = (await Promise.all(runs.map((run) => place.journal(run)))).at(-1) ?? '';
    const { tokens } = JSON.parse(readFileSync(file, 'utf8'));
    expect(failed.stdout).toContain('you have');
    expect(failed.stdout + failed.stderr + journals).not.toContain(tokens.access_token);

    server.revoke();
    const revoked = await place.dandori('tools');
    expect(revoked.stdout).toContain('wants a login');
    expect((await place.dandori('doctor')).stdout).toContain('Log in:  dandori login guarded');
    const again = await withBrowser(place, ['login', 'guarded']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Logged in to guarded.') });
    expect((await place.dandori('tools')).stdout).toContain('guarded.whoami');
    expect((await place.dandori('logout', 'guarded')).stdout).toContain('Logged out');
    expect(logins(place)).toEqual([]);
  });

  it('refuses an answer that does not belong to this login, and says why', async () => {
    await using server = await startOAuthServer({ device: false });
    await using place = await openPlace();
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: { guarded: { url: server.url } } }));
    const forged = await withBrowser(place, ['login', 'guarded'], (url) => {
      const redirect = new URL(url).searchParams.get('redirect_uri');
      return fetch(`${redirect}?code=stolen&state=other`);
    });
    expect(forged.code).toBe(2);
    expect(forged.stderr).toContain(
      'error[login-failed]: Cannot log in to guarded: the answer of the browser',
    );
    expect(server.log).not.toContain('authorization_code');
    const device = await place.dandori('login', 'guarded', '--device');
    expect(device).toMatchObject({ code: 2, stderr: expect.stringContaining('no device flow') });
    const none = await place.dandori('login', 'nobody');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('has no server nobody') });
  });

  it('can be logged in to on another device', async () => {
    await using server = await startOAuthServer();
    await using place = await openPlace();
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: { guarded: { url: server.url } } }));
    const { child, finished } = place.begin('login', 'guarded', '--device');
    expect(await shown(child, /code there: (\S+)/)).toBe('ABCD-EFGH');
    server.approveDevice(true);
    expect((await finished).code).toBe(0);
    server.expire();
    expect(JSON.parse((await whoami(place)).stdout).outcome).toBe('answered');
    expect(server.log.at(-1)).toBe('refresh_token');
  });
});

describe('the example server of the MCP SDK with its own authorization server', () => {
  it('lets a user log in, and its tools be listed and called', async () => {
    const [port, authPort] = [await freePort(), await freePort()];
    const example = createRequire(
      createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
    ).resolve('@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js');
    const child = spawn(process.execPath, [example, '--oauth'], {
      env: { ...process.env, MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (text) => {
      said += text;
    });
    try {
      await expect.poll(() => said, { timeout: 60_000 }).toContain('listening on port');
      await using place = await openPlace();
      const added = await withBrowser(place, ['add', 'example', `http://localhost:${port}/mcp`, '--login']);
      expect(added.stderr).toContain('Logged in to example.');
      expect(added.stdout).toContain('example.greet');
      const plan = { tasks: [{ operation: 'example.greet', args: { name: 'Ada' } }] };
      await place.write('plan.json', JSON.stringify(plan));
      const called = await place.dandori('run', '--plan', 'plan.json', '--json', '--yes');
      expect(JSON.stringify(JSON.parse(called.stdout))).toContain('Hello, Ada!');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});
