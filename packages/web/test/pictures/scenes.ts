import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Client } from '../../../dandori/src/client/client.ts';
import { openPage } from '../visit.ts';

interface Stage {
  readonly client: Client;
  readonly browser: Browser;
  readonly url: string;
  readonly now: number;
  /** Orders wait until the returned function is called. */
  readonly closeShops: () => () => void;
}

export interface Picture {
  readonly name: string;
  readonly picture: Buffer;
}

interface Scene extends BrowserContextOptions {
  readonly path: string;
  /** Milliseconds after the last of the earlier runs. */
  readonly later?: number;
  /** Waits until the picture can be taken. */
  readonly ready: (page: Page) => Promise<unknown>;
}

const SCREEN = { width: 1280, height: 800 };
const PHONE = { viewport: { width: 390, height: 844 } } as const;

/** Takes the pictures one after the other. */
export async function* scenes(stage: Stage): AsyncGenerator<Picture> {
  const { client, closeShops } = stage;
  const begin = async (goal: string, options: Parameters<Client['start']>[1]) => {
    const run = await client.start(goal, options);
    await client.settled(run);
    return run;
  };
  const talk = await client.conversations.begin('What can I cook tonight?');
  await client.settled(talk.run);
  await client.conversations.say(talk.conversation, 'Dinner for two, please, with fresh bread');
  const dinner = await begin('Dinner for one, with fresh bread', { mode: 'hierarchical' });
  const done = await begin('Dinner for two, with fresh bread', { mode: 'hierarchical' });
  await client.answer(done, 'q1', 2);
  await client.settled(done);
  const order = await begin('Order bread and eggs, and throw away the old spinach', {
    mode: 'planned',
    approval: 'plan',
  });
  const omelette = await begin('オムレツを作って', { mode: 'planned' });
  const openShops = closeShops();
  const supper = await client.start('Supper with miso soup and fresh bread', { mode: 'hierarchical' });
  const past = (await client.events(done)).find(({ type }) => type === 'question_asked')?.seq ?? 1;
  const tasks = (page: Page) => page.locator('.react-flow__node-task');

  const all: Readonly<Record<string, Scene>> = {
    home: { path: '/', ready: (page) => page.getByRole('heading', { name: 'All runs', level: 2 }).waitFor() },
    graph: {
      path: `/runs/${supper}`,
      // Running calls have just started.
      later: Date.now() + 4_000 - stage.now,
      ready: (page) => tasks(page).filter({ hasText: 'soup' }).getByText('Done').waitFor(),
    },
    timeline: {
      path: `/runs/${done}/timeline`,
      colorScheme: 'dark',
      ready: (page) => page.getByRole('button', { name: /soup/ }).first().waitFor(),
    },
    past: { path: `/runs/${done}?at=${past - 2}`, ready: (page) => tasks(page).nth(8).waitFor() },
    approval: { path: `/runs/${order}`, ready: (page) => page.getByText('Approve').first().waitFor() },
    plan: {
      path: `/runs/${order}/plan`,
      async ready(page) {
        const source = page.getByRole('textbox', { name: 'Plan as YAML' });
        await source.fill((await source.inputValue()).replace('shops.order', 'shops.oder'));
        const found = page.getByRole('button', { name: /unknown-operation/ });
        await found.waitFor();
        await found.evaluate((element) => element.scrollIntoView({ block: 'center' }));
      },
    },
    question: {
      path: `/runs/${omelette}`,
      locale: 'ja-JP',
      ready: (page) => tasks(page).nth(1).waitFor(),
    },
    phone: {
      path: `/runs/${dinner}`,
      ...PHONE,
      ready: (page) => page.getByRole('heading', { name: 'Which milk' }).waitFor(),
    },
    conversation: {
      path: `/conversations/${talk.conversation}`,
      ready: (page) => page.getByText('Or write below what to change.').waitFor(),
    },
    dashboard: { path: '/dashboard?range=30d', ready: (page) => page.getByRole('img').nth(5).waitFor() },
    tools: {
      path: '/tools',
      async ready(page) {
        await page.getByRole('searchbox').fill('cook');
        await page.locator('[data-tool="pantry.cook"] > summary').click();
        await page.evaluate(() => window.scrollTo(0, 0));
      },
    },
  };
  for (const [name, scene] of Object.entries(all)) yield { name, picture: await taken(scene, stage) };
  openShops();
  await client.settled(supper);
}

async function taken(
  { path, ready, later = 600_000, ...options }: Scene,
  { browser, url, now }: Stage,
): Promise<Buffer> {
  const page = await openPage(browser, url + path, {
    viewport: SCREEN,
    reducedMotion: 'reduce',
    timezoneId: 'Asia/Tokyo',
    onPage: (one) => one.addInitScript(standStill, now + later),
    ...options,
  });
  await ready(page);
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  await page.close();
  return picture;
}

/** Stops the clock of the page, so that relative times do not depend on how long the pictures take. */
function standStill(now: number): void {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(now);
      else super(...(given as [number]));
    }

    static override now(): number {
      return now;
    }
  } as DateConstructor;
}
