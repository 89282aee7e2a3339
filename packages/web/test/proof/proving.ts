import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Client, createClient } from '../../../dandori/src/client/client.ts';
import { type ModelScript, startModelServer } from '../../../dandori/src/testing/index.ts';
import { type Finished, openPlace, type Place } from '../../../dandori/test/cli/command.ts';
import { freePort } from '../../../dandori/test/free-port.ts';
import { type Started, started } from '../../../dandori/test/program.ts';
import { until } from '../../../dandori/test/server/standing.ts';
import { openBrowser } from '../browser.ts';
import { openPage } from '../visit.ts';

const ROOT = join(import.meta.dirname, '../../../..');

/** The real command in its own folder, with the kitchen of the examples, a model server and a real browser. */
export interface Proving extends AsyncDisposable {
  readonly place: Place;
  readonly url: string;
  readonly client: Client;
  /** Forbidden acts of the page: a request to another host, a dialog, a policy violation, an error. */
  readonly wrongs: readonly string[];
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Starts the server again at the same address. */
  begin(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<Finished>;
}

export async function prove(script: ModelScript, config: { server?: object } = {}): Promise<Proving> {
  const [place, model, browser, port] = await Promise.all([
    openPlace({ DANDORI_KITCHEN_PATH: './kitchen.db' }),
    startModelServer(script, { chunkSize: 9 }),
    openBrowser(),
    freePort(),
  ]);
  await place.write('dandori.yaml', JSON.stringify(configuration(place, model.url, config.server)));
  const url = `http://127.0.0.1:${port}`;
  const wrongs: string[] = [];
  let child: ChildProcess | undefined;
  let finished: Promise<Finished> | undefined;
  const begin = async () => {
    ({ child, finished } = place.begin('serve', '--port', String(port)));
    await until(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok);
  };
  const end = async (signal: NodeJS.Signals) => {
    child?.kill(signal);
    if (finished === undefined) throw new Error('The server was never started.');
    return finished;
  };
  await begin();
  return {
    place,
    url,
    client: createClient({ url }),
    wrongs,
    begin,
    end,
    open: (path, options) =>
      openPage(browser, url + path, { ...options, onPage: (page) => watch(page, url, wrongs) }),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await end('SIGKILL');
      await model.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

function configuration(place: Place, base_url: string, server: object = {}): object {
  const node = (file: Started, env = {}) => ({
    command: process.execPath,
    args: [started(file)],
    env,
    trusted: true,
  });
  return {
    model: { provider: 'openai-compatible', name: 'scripted', base_url },
    mcpServers: {
      kitchen: { shipped: 'kitchen', trusted: true },
      counter: node('cli/fixtures/counter-server.ts', { COUNTER_FILE: join(place.folder, 'effects.txt') }),
      hostile: node('cli/fixtures/hostile-server.ts'),
    },
    services: [join(ROOT, 'examples/kitchen/pantry.ts')],
    execution: { approval: 'never' },
    server: { rate_limit: 10_000, ...server },
  };
}

async function watch(page: Page, url: string, wrongs: string[]): Promise<void> {
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(`${url}/`) && !/^(data|blob):/.test(address)) wrongs.push(`asked ${address}`);
  });
  page.on('dialog', (dialog) => {
    wrongs.push(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => wrongs.push(`threw ${error.message}`));
  await page.exposeFunction('tellViolation', (what: string) => wrongs.push(`broke its policy: ${what}`));
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      (globalThis as unknown as { tellViolation(what: string): void }).tellViolation(
        `${violatedDirective} ${blockedURI}`,
      ),
    ),
  );
}
