import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePackage } from '../build/package.ts';
import { INSTALLATION } from './program.ts';

/**
 * Before the tests: the package as it is published, installed in a place of their own. What is killed and started
 * again by tests is what users run, and starts in half the time. It is made new each time, and put in place at once, so
 * that another run of tests in this folder always finds one.
 */
export default async function install(): Promise<void> {
  const next = `${INSTALLATION}-${process.pid}`;
  await makePackage(join(next, 'node_modules/dandori'));
  rmSync(INSTALLATION, { recursive: true, force: true });
  renameSync(next, INSTALLATION);
}
