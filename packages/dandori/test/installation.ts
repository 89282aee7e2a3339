import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { makePackage } from '../build/package.ts';
import { INSTALLATION, nameOf, STARTED } from './program.ts';

/** A service must use the very modules that the command line has loaded. */
const INSTALLED = { id: 'dandori', external: true };

/**
 * Before the tests: the package as it is published, installed in a place of their own, and beside them what tests
 * start. What is killed and started again by tests is what users run, and starts in half the time. It is made new each
 * time, and put in place at once, so that another run of tests in this folder always finds one.
 */
export default async function install(): Promise<void> {
  const next = `${INSTALLATION}-${process.pid}`;
  const modules = join(next, 'node_modules');
  await makePackage(join(modules, 'dandori'));
  await bundleStarted(join(next, 'started'));
  rmSync(INSTALLATION, { recursive: true, force: true });
  renameSync(next, INSTALLATION);
}

// For scripts that start what users run.
if (import.meta.main) await install();

/** Servers, services and other processes of the tests, which start in a third of the time when they are a few files. */
async function bundleStarted(directory: string): Promise<void> {
  await using build = await rolldown({
    input: Object.fromEntries(STARTED.map((file) => [nameOf(file), join(import.meta.dirname, file)])),
    platform: 'node',
    plugins: [{ name: 'installed', resolveId: (id) => (isPublished(id) ? INSTALLED : undefined) }],
  });
  await build.write({ dir: directory, entryFileNames: '[name].js', chunkFileNames: 'part-[hash].js' });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }\n');
  // Compiled code is kept between two starts, as it is for the command line; that must be said before it is loaded.
  for (const file of STARTED)
    writeFileSync(
      join(directory, `${nameOf(file)}-start.js`),
      `import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('./${nameOf(file)}.js');\n`,
    );
}

function isPublished(id: string): boolean {
  return id === 'dandori' || id.endsWith('/src/index.ts');
}
