import './clock.ts';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../../dandori/src/client/client.ts';
import { serve } from '../../../dandori/src/server/serve.ts';
import { startModelServer } from '../../../dandori/src/testing/index.ts';
import { launchBrowser } from '../browser.ts';
import { moveClock } from './clock.ts';
import { liveDays } from './days.ts';
import { MODEL } from './model.ts';
import { scenes } from './scenes.ts';
import { createShops } from './shops.ts';

/**
 * `npm run screenshots` takes the pictures of the docs: a real server with the kitchen of the examples and a scripted model, on
 * the loopback alone, looked at by a real browser. Dates are fixed, so that a picture changes only when the page does.
 */
const ROOT = join(import.meta.dirname, '../../../..');
const PICTURES = join(ROOT, 'docs/pictures');
const NOW = Date.parse('2026-05-14T09:30:00Z');

const folder = await mkdtemp(join(tmpdir(), 'dandori-pictures-'));
const model = await startModelServer(MODEL, { chunkSize: 24 });
moveClock(NOW - 40 * 86_400_000);
const env = {
  DANDORI_KITCHEN_PATH: join(folder, 'kitchen.db'),
  NODE_OPTIONS: `--import ${join(import.meta.dirname, 'clock.ts')}`,
  PICTURES_TIME: String(NOW),
};
const config = {
  model: {
    provider: 'openai-compatible',
    name: 'example-model',
    base_url: model.url,
    price: { input: 0.25, output: 2 },
  },
  mcpServers: {
    kitchen: { shipped: 'kitchen', trusted: true, env },
    calc: { shipped: 'calc' },
    places: { shipped: 'places' },
    clock: { shipped: 'clock' },
  },
  services: [join(ROOT, 'examples/kitchen/pantry.ts')],
  execution: { approval: 'never' },
  server: { port: 0, rate_limit: 10_000 },
};
await writeFile(join(folder, 'dandori.yaml'), JSON.stringify(config));
let door: Promise<void> = Promise.resolve();
/** Orders wait until the returned function is called. */
const closeShops = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  door = promise;
  return resolve;
};
const serving = await serve({ cwd: folder, services: [createShops(() => door)] });
const browser = await launchBrowser();
try {
  const client = createClient({ url: serving.url });
  await liveDays(client, { days: 28, until: NOW });
  await mkdir(PICTURES, { recursive: true });
  for await (const { name, picture } of scenes({ client, browser, url: serving.url, now: NOW, closeShops })) {
    await writeFile(join(PICTURES, `${name}.png`), picture);
    console.log(`${name}.png ${Math.round(picture.length / 1024)} kB`);
  }
} finally {
  await browser.close();
  await serving.close();
  await model.close();
  await rm(folder, { recursive: true, force: true });
}
