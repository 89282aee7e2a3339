import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configShape } from '../../src/config/file-shape.ts';
import { loadConfig } from '../../src/config/load.ts';
import { vocabularyOf } from '../../src/documents/shape.ts';
import { factSchema } from '../../src/model/event.ts';
import { diagnosticCode } from '../../src/model/plan.ts';
import { questionKind } from '../../src/model/question.ts';
import { runCommand } from '../cli/commands.ts';
import { stand } from '../server/standing.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

/** Pages that must be true today. Decisions and the changelog describe their time. */
const PAGES = [
  ...['README.md', 'README.ja.md', 'CONTRIBUTING.md', 'AGENTS.md', 'CONTEXT.md'],
  ...['packages/servers/README.md', 'examples/kitchen/README.md', 'examples/kitchen/README.ja.md'],
  ...pagesIn('docs'),
  ...pagesIn('docs/ja'),
  ...pagesIn('docs/errors'),
];

interface Piece {
  readonly page: string;
  readonly text: string;
}

/** Code in the text, such as `dandori run`. */
const INLINE: readonly Piece[] = PAGES.flatMap((page) =>
  [
    ...read(page)
      .replaceAll(BLOCKS(), '')
      .matchAll(/`([^`\n]+)`/g),
  ].map(([, text = '']) => ({ page, text })),
);

/** Lines of code blocks, without the prompt and without comments. */
const LINES: readonly Piece[] = blocks(['sh', 'text', '']).flatMap(({ page, text }) =>
  text.split('\n').map((line) => ({ page, text: line.replace(/^\s*\$ /, '').replace(/\s#.*$/, '') })),
);

describe('the docs name only what exists: ', () => {
  it('commands of dandori and their options', async () => {
    const wrong: string[] = [];
    for (const { page, text } of [...INLINE, ...LINES]) {
      const [, name, rest = ''] = COMMAND.exec(text) ?? [];
      if (name === undefined) continue;
      const options = await optionsOf(name);
      if (options === undefined) wrong.push(`${page}: dandori ${name}`);
      const used = rest.replaceAll(/"[^"]*"|'[^']*'/g, '').split(/[|<;&…]/)[0] ?? '';
      for (const [option] of used.matchAll(/(?<=\s)--[a-z-]+/g))
        if (options?.has(option) === false) wrong.push(`${page}: dandori ${name} ${option}`);
    }
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('scripts of npm', () => {
    const scriptsOf = (path: string) => Object.keys((parse(read(path)) as { scripts: object }).scripts);
    const known = [...scriptsOf('package.json'), ...scriptsOf('bench/peers/package.json')];
    const wrong = [...INLINE, ...LINES].flatMap(({ page, text }) =>
      [...text.matchAll(/npm run ([a-z:-]+)/g)]
        .filter(([, script = '']) => !known.includes(script))
        .map(([whole]) => `${page}: ${whole}`),
    );
    expect(wrong).toEqual([]);
  });

  it('every folder of the source has a line in the design, so that `ls` and the map agree', () => {
    const [, tree = ''] =
      /```\npackages\/dandori\/src\/\n([\s\S]*?)\n {2}index\.ts\n/.exec(read('docs/DESIGN.md')) ?? [];
    const above: string[] = [];
    const told = tree.split('\n').flatMap((line) => {
      const [, indent = '', name = '', about = ''] = /^( +)([\w-]+)\/ +(.*)$/.exec(line) ?? [];
      above.splice(indent.length / 2 - 1, Number.POSITIVE_INFINITY, name);
      const folder = above.join('/');
      return [folder, ...[...about.matchAll(/([\w-]+)\//g)].map(([, inside]) => `${folder}/${inside}`)];
    });
    const source = join(ROOT, 'packages/dandori/src');
    const folders = readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(source, join(entry.parentPath, entry.name)));
    expect(told.toSorted()).toEqual(folders.toSorted());
  });

  it('files and folders of the repository', () => {
    const rooms = readdirSync(join(ROOT, 'packages/dandori/src'));
    const tops = new Set([...rooms, 'packages', 'docs', 'examples', 'bench', 'test']);
    const isPath = (text: string) =>
      !BUILT.has(text) && /^[\w.-]+(?:\/[\w.*-]+)+\/?$/.test(text) && tops.has(text.split('/')[0] ?? '');
    const paths = [...INLINE, ...LINES].flatMap(({ page, text }) =>
      text
        .split(/[\s(),]+/)
        .filter(isPath)
        .map((path) => ({ page, path })),
    );
    expect(paths.length).toBeGreaterThan(50);
    const wrong = paths.filter(({ path }) => !isThere(path)).map(({ page, path }) => `${page}: ${path}`);
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('files of the source, in its comments', () => {
    const rooms = readdirSync(join(ROOT, 'packages/dandori/src')).join('|');
    // `run/task` is a key, not a file.
    const named = new RegExp(`^\\s*(?:\\*|//|/\\*\\*).*?\`((?!run/task)(?:${rooms})/[\\w/.-]+)\``, 'gm');
    const wrong = globSync('packages/dandori/src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...read(file).matchAll(named)]
        .filter(([, path = '']) => !isThere(path))
        .map(([, path]) => `${file}: ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it('names in the file that the docs say they are in', () => {
    const wrong = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`(\w+)`\s(?:in|of)\s`([\w/.-]+\.ts)`/g)]
        .filter(([, name = '', path = '']) => !textOf(path).includes(name))
        .map(([whole]) => `${page}: ${whole}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keys of the configuration', () => {
    const vocabulary = vocabularyOf(configShape);
    const known = [...vocabulary].flatMap(([group, names]) =>
      names.map((name) => (group === '' ? name : `${group}.${name}`)),
    );
    const groups = new Set(known.filter((key) => !key.includes('.')));
    const wrong = INLINE.filter(({ text }) => /^[a-z_]+(?:\.[a-z_]+)+$/i.test(text))
      .filter(({ text }) => groups.has(text.split('.')[0] ?? ''))
      .filter(({ text }) => !known.includes(text) && !NO_KEYS.test(text))
      .map(({ page, text }) => `${page}: ${text}`);
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('codes of errors and diagnostics', () => {
    const codes = pagesIn('docs/errors').map((path) => path.replace(/^.*\/|\.md$/g, ''));
    const wrong = LINES.flatMap(({ page, text }) =>
      [...text.matchAll(/(?:error|warning)\[([a-z-]+)\]/g)]
        .filter(([, code = '']) => !codes.includes(code))
        .map(([whole]) => `${page}: ${whole}`),
    );
    expect(codes).toEqual(expect.arrayContaining([...diagnosticCode.options]));
    expect(wrong).toEqual([]);
  });

  it('settings that load, in every piece of configuration', async () => {
    const groups = new Set([
      ...vocabularyOf(configShape).keys(),
      ...(vocabularyOf(configShape).get('') ?? []),
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'docs-'));
    const env = {
      OPENAI_API_KEY: 'key-123',
      USER_CONFIG_TOKEN: 't',
      REMOTE_TOKEN: 't',
      SCRIPTED_MODEL_URL: 'http://x',
      DATABASE_URL: 'postgres://db/dandori',
    };
    const wrong: string[] = [];
    let loaded = 0;
    for (const { page, text } of blocks(['yaml'])) {
      const value: unknown = parse(text);
      const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
      if (keys.length === 0 || !keys.every((key) => groups.has(key)) || keys.includes('services')) continue;
      const file = join(folder, 'dandori.yaml');
      writeFileSync(file, text);
      writeFileSync(join(folder, 'instructions.md'), 'Be brief.');
      const all = { ...env, ANTHROPIC_API_KEY: 'key-123', GOOGLE_GENERATIVE_AI_API_KEY: 'key-123' };
      await loadConfig({ file, cwd: folder, env: all }).catch((error: Error) =>
        wrong.push(`${page}: ${error.message}`),
      );
      loaded++;
    }
    rmSync(folder, { recursive: true });
    expect(wrong).toEqual([]);
    expect(loaded).toBeGreaterThan(10);
  });
});

describe('the docs have all of these: ', () => {
  const reference = read('docs/reference.md');

  it('events', () => {
    const rows = new Map(
      [...sectionOf(reference, 'Events').matchAll(/^\| `([a-z_]+)` \|.*$/gm)].map(([row, type = '']) => [
        type,
        row,
      ]),
    );
    const facts = factSchema.options.map(({ shape }) => shape.type.value);
    expect([...rows.keys()].sort()).toEqual(facts.sort());
  });

  it('fields of events, in their rows', () => {
    const lines = read('docs/reference.md').split('\n');
    const missing = factSchema.options.flatMap(({ shape }) => {
      const type = shape.type.value;
      const row = lines.find((line) => line.startsWith(`| \`${type}\` |`)) ?? '';
      return Object.keys(shape.data.shape)
        .filter((field) => !row.includes(`\`${field}\``))
        .map((field) => `${type}.${field}`);
    });
    expect(missing).toEqual([]);
  });

  it('decisions, in their list', () => {
    const list = read('docs/decisions/README.md');
    const files = pagesIn('docs/decisions').map((path) => path.replace('docs/decisions/', ''));
    expect(files.filter((file) => file !== 'README.md' && !list.includes(`](${file}) |`))).toEqual([]);
  });

  it('kinds of questions, in the guide', () => {
    const guide = read('docs/guide.md');
    expect(questionKind.options.filter((kind) => !guide.includes(`| \`${kind}\` |`))).toEqual([]);
  });

  it('routes of the server', async () => {
    await using standing = await stand();
    const document = (await (await standing.ask('/openapi.json')).json()) as {
      paths: Record<string, object>;
    };
    const served = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, '*')}`),
    );
    const described = [
      ...sectionOf(reference, 'HTTP').matchAll(/^\| (`(?:GET|POST|DELETE) [^|]+) \|/gm),
    ].flatMap(([, cell = '']) => {
      const [first = '', ...more] = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
      const [method = '', path = ''] = first.split(' ');
      const folder = path.slice(0, path.lastIndexOf('/'));
      const whole = more.map((other) => `${method} ${path.startsWith('/api') ? folder : ''}${other}`);
      return [first, ...whole].map((route) => route.replaceAll(/\b(?:RUN|ID|TASK|OTHER)\b/g, '*'));
    });
    expect(served.filter((route) => !described.includes(route))).toEqual([]);
    const api = described.filter((route) => route.includes('/api/'));
    expect(api.filter((route) => !served.includes(route))).toEqual([]);
  });
});

const COMMAND = /^(?:\w+=\S+ )*(?:npx dandori|npm start --|dandori) (?!--)([a-z][a-z-]*)(.*)$/;

const helps = new Map<string, Promise<ReadonlySet<string> | undefined>>();

/** Undefined if there is no such command. */
function optionsOf(command: string): Promise<ReadonlySet<string> | undefined> {
  const known = helps.get(command) ?? askForHelp(command);
  helps.set(command, known);
  return known;
}

async function askForHelp(command: string): Promise<ReadonlySet<string> | undefined> {
  const { stdout } = await runCommand({ args: [command, '--help'], folder: ROOT, env: process.env });
  if (!stdout.startsWith(`Usage: dandori ${command}`)) return undefined;
  return new Set([...stdout.matchAll(/--[a-z-]+/g)].map(([option]) => option));
}

/** Paths are relative to the repository, to the source, or to the package. */
function isThere(path: string): boolean {
  const plain = path.replace(/\/?\*.*$/, '').replace(/\/$/, '');
  return BASES.some((base) =>
    ['', '.ts', '.test.ts', '.md'].some((end) => existsSync(join(ROOT, base, plain + end))),
  );
}

function textOf(path: string): string {
  const base = BASES.find((one) => existsSync(join(ROOT, one, path)));
  return base === undefined ? '' : read(join(base, path));
}

/** What `npm run build` makes. */
const BUILT = new Set(['packages/dandori/dist']);

/** The context of a service method or a question, the name of a tool, a file: they only look like keys. */
const NO_KEYS =
  /^(?:context\.(?:userId|call|key|language|plan|isClean)|memory\.(?:read|write|remove)|server\.tool|model\.yaml)$/;

const BASES = ['', 'packages/dandori/src', 'packages/dandori'];

function BLOCKS(): RegExp {
  return /^ *```(\w*)\n([\s\S]*?)^ *```$/gm;
}

function blocks(languages: readonly string[]): Piece[] {
  return PAGES.flatMap((page) =>
    [...read(page).matchAll(BLOCKS())]
      .filter(([, language = '']) => languages.includes(language))
      .map(([, , text = '']) => ({ page, text })),
  );
}

function sectionOf(page: string, heading: string): string {
  return page.split(`\n## ${heading}\n`)[1]?.split(/^##+ /m)[0] ?? '';
}
