import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePackage } from './package.ts';

/**
 * Makes what is published, in `packages/NAME/dist`. In the repository Node runs the TypeScript as it is, and nothing
 * there looks into `dist`.
 */
const PACKAGES = join(import.meta.dirname, '../..');

await makePackage('servers', join(PACKAGES, 'servers/dist'));
await makePackage('dandori', join(PACKAGES, 'dandori/dist'));
declareTypes();

function declareTypes(): void {
  const compiler = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
  const project = join(PACKAGES, 'dandori/tsconfig.build.json');
  execFileSync(process.execPath, [compiler, '-p', project], { stdio: 'inherit' });
}
