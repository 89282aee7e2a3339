import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { createProgram } from '../../src/cli/program.ts';
import { configShape } from '../../src/config/file-shape.ts';
import { loadConfig } from '../../src/config/load.ts';
import { CONFIG_TEMPLATE } from '../../src/config/template.ts';
import { vocabularyOf } from '../../src/documents/shape.ts';
import { diagnosticCode } from '../../src/model/plan.ts';
import { readPlanFile } from '../../src/plan/read.ts';
import { messages } from '../../src/views/texts/ja/messages/index.ts';
import { createTranslate } from '../../src/views/texts/translate.ts';
import { openPlace } from '../cli/command.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.includes('.dandori'))
    .map((name) => join(folder, name));

const DOCS = [
  'README.md',
  'README.ja.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...filesIn('docs', /\.md$/),
  ...filesIn('examples', /\.md$/),
];
const QUOTING = ['README.md', 'README.ja.md', ...filesIn('docs', /^(ja\/)?[^/]+\.md$/)];

describe('the pages of errors', () => {
  // The codes are a type and leave no trace at run time, so the source is read.
  const errors = [...read('packages/dandori/src/model/error.ts').matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(
    (match) => match[1] ?? '',
  );
  const codes = [...errors, ...diagnosticCode.options].sort();
  const pages = filesIn('docs/errors', /\.md$/).map((path) =>
    relative('docs/errors', path).replace('.md', ''),
  );

  it('are one for each code, so that every code leads to a page', () => {
    expect(errors.length).toBeGreaterThan(10);
    expect(pages.filter((page) => page !== 'README').sort()).toEqual(codes);
  });

  it('have a line and a section in Japanese, to which the Japanese messages lead', () => {
    const page = read('docs/ja/errors.md');
    expect(codes.filter((code) => !page.includes(`| [${code}](#${code}) |`))).toEqual([]);
    const section = (code: string) => page.split(`\n### ${code}\n`)[1]?.split('\n### ')[0] ?? '';
    const hasText = (code: string) => /^\n.{10,}\n\n\*\*対処：\*\*.{8,}\n*$/u.test(section(code));
    expect(codes.filter((code) => !hasText(code))).toEqual([]);
    expect(createTranslate(messages)('  see docs/errors/cycle.md')).toContain('docs/ja/errors.md#cycle');
  });

  it('are all in the table, with meaning, example and fix', () => {
    const table = read('docs/errors/README.md');
    expect(codes.filter((code) => !table.includes(`| [${code}](${code}.md) |`))).toEqual([]);
    const parts = (code: string) =>
      ['What it means', 'Example', 'How to fix it'].map((part) => `${code}: ${part}`);
    const missing = codes.flatMap((code) => {
      const page = read(`docs/errors/${code}.md`);
      return parts(code).filter((part) => !page.includes(`\n## ${part.split(': ')[1]}\n`));
    });
    expect(missing).toEqual([]);
  });
});

describe('the links of the docs', () => {
  it('lead to a file and a heading that exist', () => {
    const broken = DOCS.flatMap((file) =>
      linksIn(read(file))
        .filter((link) => !leadsSomewhere(link, file))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

describe('the code in the docs', () => {
  it('is the code of the examples, which are compiled and run (UPDATE_DOCS=1 copies it)', () => {
    const stale = QUOTING.flatMap((file) => {
      const before = read(file);
      const after = withSnippets(before, file);
      if (process.env.UPDATE_DOCS === '1' && after !== before) writeFileSync(join(ROOT, file), after);
      return read(file) === after
        ? []
        : [`${file}: run UPDATE_DOCS=1 npx vitest run packages/dandori/test/house/docs`];
    });
    expect(stale).toEqual([]);
  });

  it('is configuration that loads', async () => {
    const env = {
      OPENAI_API_KEY: 'key-123',
      ANTHROPIC_API_KEY: 'key-123',
      GOOGLE_GENERATIVE_AI_API_KEY: 'key-123',
      SCRIPTED_MODEL_URL: 'http://127.0.0.1:1/v1',
      DATABASE_URL: 'postgres://db/dandori',
    };
    const files = filesIn('examples', /(?<!\.(plan|case))\.yaml$/);
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) await loadConfig({ file, cwd: ROOT, env });
  });

  it('is plans that compile', async () => {
    const files = filesIn('examples', /\.plan\.yaml$/);
    expect(files.length).toBeGreaterThan(2);
    const besides = (file: string) => join(dirname(file), 'dandori.yaml');
    const byConfig = Map.groupBy(files, (file) =>
      existsSync(join(ROOT, besides(file))) ? besides(file) : 'examples/services/dandori.yaml',
    );
    for (const [config, plans] of byConfig) {
      await using dandori = await openRuntime({ configFile: join(ROOT, config) });
      for (const plan of plans) {
        const { tasks } = await readPlanFile(join(ROOT, plan));
        expect(await dandori.check(tasks), plan).toMatchObject({ ok: true });
      }
    }
  });
});

describe('the page of requirements', () => {
  it('has every row that a test names, and none of them is marked as later', () => {
    const tests = filesIn('packages/dandori/test/requirements', /\.test\.ts$/)
      .map(read)
      .join('');
    const named = new Set([...tests.matchAll(/\(([A-E]\d+)\)/g)].map((match) => match[1] ?? ''));
    const built = [...read('docs/REQUIREMENTS.md').matchAll(/^\| ([A-E]\d+) \| (?!\*\(later\)\*)/gm)].map(
      (match) => match[1] ?? '',
    );
    expect(named.size).toBeGreaterThan(25);
    expect(built).toEqual(expect.arrayContaining([...named]));
  });
});

describe('the reference', () => {
  const reference = read('docs/reference.md');

  it('has every key of the configuration, so that users need not read the source', () => {
    const keys = [...vocabularyOf(configShape)].flatMap(([group, names]) =>
      names.map((name) => (group === '' ? name : `${group}.${name}`)),
    );
    expect(keys.length).toBeGreaterThan(50);
    expect(keys.filter((key) => !reference.includes(`\`${key}\``))).toEqual([]);
    const inTemplate = [...CONFIG_TEMPLATE.matchAll(/^[# ]*([a-zA-Z]\w*):(?: |$)/gm)].map(
      (match) => match[1] ?? '',
    );
    const known = new Set(keys.flatMap((key) => key.split('.')));
    const shown = inTemplate.filter((key) => known.has(key));
    expect(shown.length).toBeGreaterThan(30);
    expect(shown.filter((key) => !new RegExp(`[\`.]${key}\``).test(reference))).toEqual([]);
  });

  it('has every command and every option that --help shows', async () => {
    await using place = await openPlace();
    const helpOf = async (...command: string[]) =>
      (await place.dandori(...command, '--help')).stdout.split('\nExamples:')[0] ?? '';
    const help = await helpOf();
    const commands = [...help.matchAll(/^ {2}([a-z][a-z-]*) .*/gm)].map((match) => match[1] ?? '');
    const own = commands.filter((command) => command !== 'help' && command !== 'dandori');
    expect(own.length).toBeGreaterThan(8);
    const missing: string[] = [];
    for (const command of own) {
      const section = sectionOf(reference, new RegExp(`^### \`dandori ${command}[ \`].*\n`, 'm'));
      const options = optionsIn(await helpOf(command));
      expect(options.length).toBeGreaterThan(0);
      missing.push(
        ...options
          .filter((option) => !section.includes(`\`${option}`) && !COMMON.includes(option))
          .map((option) => `${command} ${option}`),
      );
    }
    expect(missing).toEqual([]);
    expect(COMMON.filter((option) => !reference.includes(option))).toEqual([]);
  });
});

describe('the Japanese pages', () => {
  it('have every key of the configuration', () => {
    const page = read('docs/ja/configuration.md');
    const keys = [...vocabularyOf(configShape)].flatMap(([group, names]) =>
      // The keys of the second model are those of the first.
      group.startsWith('model.fallback')
        ? []
        : names.map((name) => (group === '' ? name : `${group}.${name}`)),
    );
    const isNamed = (key: string) =>
      page.includes(`\`${key}\``) ||
      page.includes(`\`${key}.`) ||
      page.includes(`\`${key.split('.').at(-1)}\``);
    expect(keys.filter((key) => !isNamed(key))).toEqual([]);
  });

  it('have every command', () => {
    const page = read('docs/ja/cli.md');
    const commands = createProgram().commands.filter((one) => one.description() !== '');
    expect(commands.length).toBeGreaterThan(30);
    const missing = commands.filter((one) => !new RegExp(`\`dandori ${one.name()}[ \`]`).test(page));
    expect(missing.map((one) => one.name())).toEqual([]);
  });
});

/** Described once for all commands. */
const COMMON = ['--help', '--version', '-h', '-V', '--server', '--token', '--lang'];

function optionsIn(help: string): string[] {
  return [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1] ?? '');
}

function sectionOf(page: string, heading: RegExp): string {
  const match = heading.exec(page);
  if (match === null) return '';
  return page.slice(match.index + match[0].length).split(/^##+ /m)[0] ?? '';
}

function linksIn(page: string): string[] {
  const prose = page.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
}

function leadsSomewhere(link: string, from: string): boolean {
  if (/^[a-z]+:/i.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), decodeURIComponent(path));
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(read(target)).includes(decodeURIComponent(anchor));
}

/** As GitHub makes them from headings. */
function anchorsOf(page: string): string[] {
  const headings = page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const SNIPPET = /(<!-- from (\S+?)(?:#(\S+))? -->\n```\w*\n)[\s\S]*?^```$/gm;

function withSnippets(page: string, file: string): string {
  return page.replaceAll(SNIPPET, (_whole, head: string, path: string, region?: string) => {
    if (!existsSync(join(ROOT, path))) throw new Error(`${file} quotes ${path}, which is not there.`);
    const text = read(path);
    return `${head}${region === undefined ? text : regionOf(text, region, path)}\`\`\``;
  });
}

function regionOf(text: string, name: string, path: string): string {
  const match = new RegExp(`^ *(?://|#) #region ${name}\\n([\\s\\S]*?)^ *(?://|#) #endregion`, 'm').exec(
    text,
  );
  if (match?.[1] === undefined) throw new Error(`${path} has no region ${name}.`);
  const lines = match[1].split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(indent)).join('\n');
}
