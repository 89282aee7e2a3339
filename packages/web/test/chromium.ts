import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import manifest from '../package.json' with { type: 'json' };

const VERSION = manifest.devDependencies['@sparticuz/chromium'];
const FOLDER = join(import.meta.dirname, '../../../node_modules', `.chromium-${VERSION}`);

/** The Chromium that npm brought. */
export const CHROMIUM = join(FOLDER, 'chromium');

/**
 * Unpacks the browser before the tests. The package unpacks it into the temporary folder, where a second process would
 * start a file that the first one still writes. So it gets a temporary folder of its own, which is then renamed.
 */
export default async function unpackChromium(): Promise<void> {
  if (existsSync(CHROMIUM)) return;
  const next = `${FOLDER}-${process.pid}`;
  const { TMPDIR } = process.env;
  await mkdir(next);
  process.env.TMPDIR = next;
  await chromium.executablePath();
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  // Another run of the tests may have been faster.
  await rename(next, FOLDER).catch(() => rm(next, { recursive: true, force: true }));
}
