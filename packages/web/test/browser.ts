import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import unpackChromium, { CHROMIUM } from './chromium.ts';

let browser: Promise<Browser> | undefined;

/** One browser per worker: test files share their modules. It ends with the worker. */
function open(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

/** Drawn without a GPU: emulating one takes half of the time of these tests. */
const ARGUMENTS = ['--disable-gpu', '--font-render-hinting=none'];

/** A real Chromium from npm. */
export async function launchBrowser(): Promise<Browser> {
  await unpackChromium();
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, headless: true });
}

/** The windows of one test, isolated from others. */
export type Windows = Pick<Browser, 'newContext'> & { close(): Promise<void> };

export async function openBrowser(): Promise<Windows> {
  const shared = await open();
  const contexts: BrowserContext[] = [];
  return {
    async newContext(options) {
      const context = await shared.newContext(options);
      contexts.push(context);
      return context;
    },
    async close() {
      for (const context of contexts) await context.close();
    },
  };
}
