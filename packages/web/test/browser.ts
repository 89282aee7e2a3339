import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium as playwright } from 'playwright-core';

let browser: Promise<Browser> | undefined;

/** Files that share their modules share it too. It ends with the process of the tests. */
function open(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

/** With these the whole browser ends when one of its windows is closed. */
const IN_ONE_PROCESS = ['--single-process', '--no-zygote'];

/** A real Chromium that npm brought. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((one) => !IN_ONE_PROCESS.includes(one)),
    headless: true,
  });
}

/** What a test has open in the browser; nothing else of it is seen by others. */
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
