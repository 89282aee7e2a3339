import { join } from 'node:path';
import { declareTypes, makePackage } from './package.ts';

/**
 * Makes what is published, in `packages/dandori/dist`. In the repository Node runs the TypeScript as it is, and nothing
 * there looks into `dist`.
 */
const TARGET = join(import.meta.dirname, '../dist');

await makePackage(TARGET);
declareTypes(TARGET);
