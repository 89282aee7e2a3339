import axe, { type RunOptions } from 'axe-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Standing, stand } from '../../dandori/test/server/standing.ts';
import { openBrowser, type Windows } from './browser.ts';

/** Shorter than the timeout of a test, so that the error names what is missing on the page. */
const PATIENCE = 300_000;

/** A real server with the page, and a real browser. */
export interface Visit extends AsyncDisposable {
  readonly standing: Standing;
  /** Opens a page in its own context, like another user. It is closed with the browser. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

export async function visit(config: object = {}, standing?: Standing): Promise<Visit> {
  const [server, browser] = await Promise.all([standing ?? stand(config), openBrowser()]);
  return {
    standing: server,
    open: (path, options) => openPage(browser, server.url + path, options),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

export interface PageOptions extends BrowserContextOptions {
  /** Called before the first navigation. */
  readonly onPage?: (page: Page) => Promise<unknown>;
}

export async function openPage(
  browser: Pick<Windows, 'newContext'>,
  url: string,
  { onPage, ...options }: PageOptions = {},
): Promise<Page> {
  // What moves all the time is painted all the time: a third of the work of a page with a running task.
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await onPage?.(page);
  await page.goto(url);
  return page;
}

/** Serious accessibility violations found by axe, by all of its rules or by some. */
export async function barriers(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate(
    (how) => (globalThis as unknown as { axe: typeof axe }).axe.run(document, how),
    options,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/** Whether the page scrolls horizontally. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
}
