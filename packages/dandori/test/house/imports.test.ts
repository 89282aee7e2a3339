import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../../src');

/** Who may see whom. A room that is not named here sees nobody. */
const SEES: Record<string, readonly string[]> = {
  domain: [],
  core: ['domain'],
  ports: ['domain', 'core'],
  mind: ['domain', 'core', 'ports'],
  engine: ['domain', 'core', 'ports'],
  adapters: ['domain', 'core', 'ports'],
  config: ['domain', 'core'],
  testing: ['domain', 'core', 'ports', 'engine', 'adapters'],
  assembly: ['domain', 'core', 'ports', 'mind', 'engine', 'adapters', 'config'],
  'dandori.ts': ['domain', 'core', 'ports', 'engine', 'adapters', 'config', 'assembly'],
  client: ['domain', 'core', 'ports', 'engine'],
  server: ['domain', 'core', 'ports', 'engine', 'config', 'client', 'dandori.ts'],
  'index.ts': ['domain', 'core', 'ports', 'mind', 'engine', 'adapters', 'config', 'dandori.ts'],
  cli: ['domain', 'core', 'engine', 'config', 'client', 'server', 'dandori.ts'],
};

/** What the pure rooms may take from outside: nothing that reads a clock, a file or the network. */
const PURE_PACKAGES = ['zod', '@jmespath-community/jmespath', 'yaml'];

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(SOURCE, name));

function roomOf(file: string): string {
  return relative(SOURCE, file).split('/')[0] ?? '';
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

describe('the house', () => {
  it('has imports that go one way, so that the core can be understood and run without the rest', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => roomOf(join(file, '..', target)))
        .filter((room) => room !== roomOf(file) && !(SEES[roomOf(file)] ?? []).includes(room))
        .map((room) => `${relative(SOURCE, file)} must not see ${room}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has a core that runs in a browser: no Node, no clock, no chance, no promise', () => {
    const pure = files.filter((file) => ['domain', 'core'].includes(roomOf(file)));
    expect(pure.length).toBeGreaterThan(20);
    const wrong = pure.flatMap((file) => {
      const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const packages = importsOf(file).filter(
        (target) => !target.startsWith('.') && !PURE_PACKAGES.includes(target),
      );
      const impure =
        code.match(
          /\b(?:Date|Math\.random|Promise|async|setTimeout|process|Buffer|console|fetch(?=\())\b/g,
        ) ?? [];
      return [...packages, ...impure].map((what) => `${relative(SOURCE, file)} uses ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has a client that runs in a browser: nothing of Node, and of other rooms types only', () => {
    const wrong = files
      .filter((file) => roomOf(file) === 'client')
      .flatMap((file) => {
        const lines = readFileSync(file, 'utf8').match(/^(?:import|export) [^;]*from '[^']+'/gm) ?? [];
        const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
        const values = lines.filter(
          (line) => !/^(?:import|export) type /.test(line) && !/from '\.\//.test(line),
        );
        const impure = code.match(/\b(?:process|Buffer|NodeJS|node:\w+)\b/g) ?? [];
        const known = ["'../domain/error.ts'", "'../domain/json-text.ts'"];
        return [...values.filter((line) => !known.some((name) => line.includes(name))), ...impure];
      });
    expect(wrong).toEqual([]);
  });

  it('reads and writes JSON in one place, so that no number becomes another one on its way', () => {
    const allowed = [
      'domain/json-text.ts',
      // What Node or the engine itself has written.
      'config/version.ts',
      'adapters/journal/file-lock.ts',
      // With a reviver or a replacer of their own.
      'core/snapshot.ts',
      'mind/json/parse.ts',
      // On the way into the SDK, where integers are texts.
      'adapters/tools/mcp/exact-numbers.ts',
    ];
    const wrong = files
      .filter((file) => !allowed.includes(relative(SOURCE, file)))
      .filter((file) => {
        const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
        return /\bJSON\.(?:parse|stringify)\b|\bstructuredClone\(/.test(code);
      });
    expect(wrong.map((file) => relative(SOURCE, file))).toEqual([]);
  });

  it('has small files with a noun for a name, so that a reader finds things', () => {
    const long = files.filter((file) => readFileSync(file, 'utf8').split('\n').length > 400);
    const bags = files.filter((file) => /\/(utils?|helpers?|misc|common|types|manager)\.ts$/.test(file));
    expect([...long, ...bags].map((file) => relative(SOURCE, file))).toEqual([]);
  });
});
