import { join } from 'node:path';
import { declareTypes, makePackage } from './package.ts';

/**
 * Makes the published package in `packages/dandori/dist`. In the repository, Node runs the TypeScript
 * directly and nothing reads `dist`.
 */
const TARGET = join(import.meta.dirname, '../dist');

await makePackage(TARGET);
declareTypes(TARGET);
