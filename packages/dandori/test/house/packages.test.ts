import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { INSTALLATION } from '../program.ts';

const PACKAGES = join(import.meta.dirname, '../../..');
const NAMES = ['dandori', 'servers'];

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  /** What users install only if they want it. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as Manifest;

describe.each(NAMES)('the package %s', (name) => {
  const { exports, dependencies, peerDependencies } = manifestOf(name);

  it('exports its source, so that a fresh clone runs without a build', () => {
    const files = Object.values(exports).map((file) => file.replace('*', name === 'servers' ? 'calc' : '*'));
    expect(files.filter((file) => !existsSync(join(PACKAGES, name, file)))).toEqual([]);
    expect(files.filter((file) => file.includes('dist'))).toEqual([]);
  });

  it('depends on all that its source imports, so that an installation has it', () => {
    const source = join(PACKAGES, name, 'src');
    const imported = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => packagesIn(readFileSync(join(source, file), 'utf8')));
    const wanted = [...new Set(imported)].filter((one) => !builtinModules.includes(one));
    expect(wanted.length).toBeGreaterThan(1);
    expect(wanted.filter((one) => !(one in { ...dependencies, ...peerDependencies }))).toEqual([]);
  });
});

it('the sources are not packed by mistake: their tarball could not start', () => {
  const folder = join(PACKAGES, 'dandori');
  const [command = '', ...args] = manifestOf('dandori').scripts?.prepack?.split(' ') ?? [];
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('npm pack ./packages/dandori/dist');
  const published = readFileSync(join(INSTALLATION, 'node_modules/dandori/package.json'), 'utf8');
  expect(published).not.toContain('prepack');
});

describe('the packages as they are published', () => {
  const folder = join(INSTALLATION, 'node_modules/dandori');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  const fileOf = (name: string) => {
    const file = manifest.exports[name];
    return join(folder, typeof file === 'object' ? file.default : (file ?? ''));
  };

  it.each([
    ['.', 'openDandori'],
    ['./client', 'createClient'],
    ['./testing', 'startModelServer'],
  ])('export in %s what the source exports, such as %s', async (name, known) => {
    const source = join(PACKAGES, 'dandori', manifestOf('dandori').exports[name] ?? '');
    const [one, other] = await Promise.all([import(fileOf(name)), import(source)]);
    expect(Object.keys(one)).toContain(known);
    expect(Object.keys(one).toSorted()).toEqual(Object.keys(other).toSorted());
  });

  it('name whose code is in them', () => {
    const notices = readFileSync(join(folder, 'THIRD-PARTY.txt'), 'utf8');
    expect(notices).toMatch(/^zod \d+\.\d+\.\d+ \(MIT\)\n\nMIT License/m);
    expect(notices).toMatch(/^hono /m);
  });
});

function packagesIn(text: string): string[] {
  const specifiers = [
    ...text.matchAll(/^(?:import|export)\b[^'"`]*?from '([^'.][^']*)'|\bimport\('([^'.][^']*)'\)/gm),
  ];
  return specifiers
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}
