import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { drafts } from '../../src/live/drafts.ts';

/** A storage with little room. */
const ROOM = 100;

beforeEach(() => {
  const store: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => store[key] ?? null,
    setItem(key: string, text: string) {
      if (text.length > ROOM) throw new Error('There is no room.');
      store[key] = text;
    },
    removeItem: (key: string) => delete store[key],
  };
  const keys = {
    ownKeys: () => Object.keys(store),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  };
  vi.stubGlobal('sessionStorage', new Proxy(methods, keys));
});
afterEach(() => vi.unstubAllGlobals());

it('are forgotten on sign-out, including those that did not fit into the storage', () => {
  sessionStorage.setItem('dandori.other', 'stays');
  drafts.set('plan.1', 'short');
  drafts.set('plan.2', 'x'.repeat(ROOM + 1));
  expect([drafts.get('plan.1'), drafts.get('plan.2')?.length]).toEqual(['short', ROOM + 1]);
  let told = 0;
  const stop = drafts.subscribe(() => told++);
  drafts.forget();
  stop();
  expect([drafts.get('plan.1'), drafts.get('plan.2'), told]).toEqual([undefined, undefined, 1]);
  expect(sessionStorage.getItem('dandori.other')).toBe('stays');
});
