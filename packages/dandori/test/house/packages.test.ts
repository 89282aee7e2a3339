import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PACKAGES = join(import.meta.dirname, '../../..');
const NAMES = ['dandori', 'servers'];

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as Manifest;

describe.each(NAMES)('the package %s', (name) => {
  const { exports, dependencies } = manifestOf(name);

  it('exports its source, so that a fresh clone runs without a build', () => {
    const files = Object.values(exports).map((file) => file.replace('*', name === 'servers' ? 'calc' : '*'));
    expect(files.filter((file) => !existsSync(join(PACKAGES, name, file)))).toEqual([]);
    expect(files.filter((file) => file.includes('dist'))).toEqual([]);
  });

  it('depends on all that its source imports, so that who installs it has it', () => {
    const source = join(PACKAGES, name, 'src');
    const imported = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => packagesIn(readFileSync(join(source, file), 'utf8')));
    const wanted = [...new Set(imported)].filter((one) => !builtinModules.includes(one));
    expect(wanted.length).toBeGreaterThan(1);
    expect(wanted.filter((one) => !(one in dependencies))).toEqual([]);
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
