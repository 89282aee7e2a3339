import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lowestNode } from '../../build/bundle.ts';
import { declareTypes } from '../../build/package.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { IS_LONG } from '../long.ts';
import { INSTALLATION, LOWEST_NODE } from '../program.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const MODULES = join(ROOT, 'node_modules');
const MADE = join(INSTALLATION, 'node_modules/dandori');

/** Outside of the repository: nothing that lies around it is found from here. */
const place = mkdtempSync(join(tmpdir(), 'dandori-packed-'));
const folder = join(place, 'node_modules/dandori');
const program = join(folder, 'bin/dandori.js');

/** npm is started before the first test, and in the long tests a compiler. */
const SLOW_MACHINE = 600_000;

/** `npm run test:release` has npm install the tarball, which needs a network. */
const WITH_NPM = process.env.DANDORI_PACKED === 'npm';

/** What `npm install TARBALL` gives, without a network: the tarball, and beside it what its manifest depends on, and no more. */
beforeAll(() => {
  if (IS_LONG || WITH_NPM) declareTypes(MADE);
  writeFileSync(join(place, 'package.json'), '{"type": "module"}');
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--silent'], {
      cwd: place,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
  const [{ filename }] = JSON.parse(npm('pack', MADE, '--json')) as [{ filename: string }];
  if (WITH_NPM) {
    npm('install', filename);
    return;
  }
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['-xzf', filename, '--strip-components=1', '-C', folder], { cwd: place });
  for (const name of Object.keys(manifest().dependencies)) {
    const link = join(place, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(MODULES, name), link);
  }
}, SLOW_MACHINE);
afterAll(() => rmSync(place, { recursive: true, force: true }));

function manifest() {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    private?: boolean;
    dependencies: Record<string, string>;
    bin: Record<string, string>;
    exports: Record<string, string | { types: string; default: string }>;
  };
}

const env = {
  PATH: process.env.PATH,
  LANG: 'C',
  NO_COLOR: '1',
  XDG_DATA_HOME: join(place, 'data'),
  XDG_CACHE_HOME: join(place, 'cache'),
};

interface Started {
  readonly input?: string;
  readonly cwd?: string;
  readonly lang?: string;
  readonly vars?: Readonly<Record<string, string>>;
}

function start(node: string, args: readonly string[], { cwd = place, lang = 'C', vars }: Started = {}) {
  const child = spawn(node, args, { cwd, env: { ...env, LANG: lang, ...vars } });
  const stdout = text(child.stdout);
  const stderr = text(child.stderr);
  const finished = once(child, 'close').then(async ([code]) => ({
    code: code as number | null,
    stdout: await stdout,
    stderr: await stderr,
  }));
  return { child, finished };
}

function run(node: string, args: readonly string[], started: Started = {}) {
  const { child, finished } = start(node, args, started);
  child.stdin.end(started.input);
  return finished;
}

describe('the package that is packed', () => {
  it('can be published, and depends on nothing that only this repository has', () => {
    const { private: isPrivate, dependencies } = manifest();
    expect(isPrivate).toBeUndefined();
    const workspaces = Object.keys(dependencies).filter((name) =>
      lstatSync(join(MODULES, name)).isSymbolicLink(),
    );
    expect(workspaces).toEqual([]);
  });

  it('asks by its command for the Node that its manifest names', () => {
    expect(readFileSync(program, 'utf8')).toContain(`[${lowestNode().replace('.', ', ')}]`);
  });

  it('holds every file that its manifest, its docs and the docs of its servers name', () => {
    const { bin, exports } = manifest();
    const named = [...Object.values(bin), ...Object.values(exports)];
    const isMade = (file: string) => IS_LONG || WITH_NPM || !file.endsWith('.d.ts');
    const files = named
      .flatMap((file) => (typeof file === 'string' ? [file] : Object.values(file)))
      .filter(isMade);
    expect(files.length).toBeGreaterThan(3);
    for (const needed of ['LICENSE', 'THIRD-PARTY.txt', 'page/index.html']) files.push(needed);
    const servers = readFileSync(join(folder, 'packages/servers/README.md'), 'utf8');
    const started = [...servers.matchAll(/node_modules\/dandori\/([\w./-]+)/g)].map(
      (match) => match[1] ?? '',
    );
    expect(started).toContain('lib/servers/calc.js');
    expect([...files, ...started].filter((file) => !existsSync(join(folder, file)))).toEqual([]);

    const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    const dead = pages.flatMap((page) => {
      const prose = readFileSync(join(folder, page), 'utf8').replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
      return [...prose.matchAll(/\]\(([^)\s#]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((link) => !/^[a-z]+:/i.test(link) && !existsSync(resolve(folder, dirname(page), link)))
        .map((link) => `${page}: ${link}`);
    });
    expect(dead).toEqual([]);
  });

  it.runIf(IS_LONG || WITH_NPM).each(['nodenext', 'bundler'])(
    'has types that a strict project can use (%s)',
    (resolution) => {
      const project = join(place, `types-${resolution}`);
      mkdirSync(project);
      for (const name of [
        'agent.ts',
        'tool.ts',
        'questions.ts',
        'conversation.ts',
        'client.ts',
        'journal.ts',
      ])
        cpSync(join(ROOT, 'examples/library', name), join(project, name));
      // If the package lost a type, TypeScript would accept any assignment.
      const wrong =
        "import { openDandori } from 'dandori';\n// @ts-expect-error\nexport const it: number = openDandori;\n";
      writeFileSync(join(project, 'wrong.ts'), wrong);
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2022',
        module: resolution === 'bundler' ? 'esnext' : 'nodenext',
        moduleResolution: resolution,
        types: ['node'],
        typeRoots: [join(MODULES, '@types')],
      };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const compiler = join(MODULES, 'typescript/bin/tsc');
      execFileSync(process.execPath, [compiler, '-p', project], { encoding: 'utf8' });
    },
  );
});

const lowest = LOWEST_NODE ?? '';

/** A folder with one server instead of five, which start the same way. */
function small(): string {
  const cwd = mkdtempSync(join(place, 'small-'));
  writeFileSync(join(cwd, 'dandori.yaml'), 'mcpServers: {calc: {shipped: calc}}\n');
  return cwd;
}

describe.skipIf(LOWEST_NODE === undefined)(
  'the packed package on the lowest Node in engines (skipped where npm has not brought it)',
  () => {
    it('is tried on exactly that Node', async () => {
      const { stdout } = await run(lowest, ['--version']);
      expect(stdout.startsWith(`v${lowestNode()}.`)).toBe(true);
    });

    it('has only files that this Node can run, and imports only what is installed', async () => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /^(bin|lib)\/.*\.js$/.test(name))
        .map((name) => join(folder, name));
      expect(files.length).toBeGreaterThan(50);
      writeFileSync(
        join(place, 'parse.mjs'),
        `import { readFileSync } from 'node:fs';
import vm from 'node:vm';
const imported = new Set();
for (const file of ${JSON.stringify(files)}) try {
  const source = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  for (const name of new vm.SourceTextModule(source).dependencySpecifiers) imported.add(name);
  for (const [, name] of source.matchAll(/\\bimport\\("([^"]+)"\\)/g)) imported.add(name);
  for (const [, name] of source.matchAll(/(?:createRequire\\(import\\.meta\\.url\\)|\\bload|\\brequire)\\(["'\`]([\\w@][\\w@/.-]*)["'\`]\\)/g)) imported.add(name);
} catch (error) { console.error(file, error.message); }
console.log(JSON.stringify([...imported]));
`,
      );
      const args = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'parse.mjs'];
      const { stdout, stderr } = await run(lowest, args);
      expect(stderr).toBe('');
      const known = [...builtinModules, ...Object.keys(manifest().dependencies)];
      const missing = (JSON.parse(stdout) as string[]).filter(
        (name) => !/^(node:|\.\.?\/)/.test(name) && !known.some((one) => `${name}/`.startsWith(`${one}/`)),
      );
      expect(missing).toEqual([]);
    });

    it('says its version and its commands, writes a configuration and lists the tools of it', async () => {
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        version: string;
      };
      expect(await run(lowest, [program, '--version'])).toEqual({
        code: 0,
        stdout: `${version}\n`,
        stderr: '',
      });
      expect(await run(lowest, [program, '--help'])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('serve'),
      });
      const cwd = join(place, 'init');
      mkdirSync(cwd);
      expect(await run(lowest, [program, 'init'], { cwd })).toMatchObject({ code: 0 });
      if (!IS_LONG) return;
      expect(await run(lowest, [program, 'tools'], { cwd })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/calc\.evaluate[\s\S]*sqlite\.list_tables/),
      });
    });

    it('starts without what it does not need, so that a user does not wait for it', async () => {
      writeFileSync(
        join(place, 'trace.mjs'),
        `import cp from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
cp.spawn = () => { throw new Error('a process was started'); };
syncBuiltinESMExports();
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
process.on('exit', () => console.error('loaded ' + JSON.stringify(loaded)));
`,
      );
      const traced = async (...args: string[]) => {
        const { code, stdout, stderr } = await run(lowest, ['--import', './trace.mjs', ...args]);
        expect(code, stderr).toBe(0);
        const [, loaded = '[]'] = /^loaded (.*)$/m.exec(stderr) ?? [];
        const files = (JSON.parse(loaded) as string[]).filter((url) => url.startsWith('file:'));
        return { stdout, parts: files.map((url) => basename(url)), size: files.length };
      };
      const library = ['--input-type=module', '-e', "await import('dandori')"];
      const core = expect.stringMatching(/^part-(core|app|run|planner)-/);
      const help = await traced(program, '--help');
      expect(help.parts).not.toContainEqual(core);
      expect(help.size).toBeLessThan(10);
      const imported = await traced(...library);
      expect(imported.parts).not.toContainEqual(core);
      expect(imported.size).toBeLessThan(10);
      // The MCP client is larger than everything else together.
      const sum = await traced(program, 'run', '1 + 2');
      expect(sum.stdout).toContain('3');
      expect(sum.size).toBeLessThan(30);
    });

    it('reaches the goal of the README', async () => {
      const { code, stdout } = await run(lowest, [program, 'run', '100 + 200を計算'], { cwd: small() });
      expect(stdout).toContain('300');
      expect(code).toBe(0);
    });

    it.runIf(IS_LONG)('checks a plan', async () => {
      const cwd = small();
      const tasks = [{ id: 'sum', operation: 'calc.evaluate', args: { expression: '2 ^ 10' } }];
      writeFileSync(join(cwd, 'sum.plan.yaml'), JSON.stringify({ goal: 'Try it', tasks }));
      const { code, stderr } = await run(lowest, [program, 'check', 'sum.plan.yaml'], { cwd });
      expect(code, stderr).toBe(0);
    });

    it('talks through a pipe', async () => {
      const input = '100 + 200を計算\n';
      const { code, stdout } = await run(lowest, [program, 'chat', '--new'], { input, cwd: small() });
      expect(stdout).toContain('300');
      expect(code).toBe(0);
    });

    it('starts each shipped server and a service in TypeScript, without a warning of Node', async () => {
      cpSync(join(ROOT, 'examples/services/letters.ts'), join(place, 'letters.ts'));
      const tasks = [
        { id: 'sum', operation: 'calc.evaluate', args: { expression: '2 ^ 10' } },
        { id: 'now', operation: 'clock.get_current_time', args: { time_zone: 'Asia/Tokyo' } },
        { id: 'tables', operation: 'sqlite.list_tables', args: {} },
        { id: 'weather', operation: 'places.get_weather', args: { city: 'Tokyo' } },
        { id: 'stock', operation: 'kitchen.list_inventory', args: {} },
        { id: 'person', operation: 'letters.find_person', args: { name: 'Taro' } },
      ];
      writeFileSync(join(place, 'all.plan.yaml'), JSON.stringify({ goal: 'Try all', tasks }));
      const servers = ['calc', 'clock', 'sqlite', 'places', 'kitchen', 'files', 'shell'];
      const mcpServers = Object.fromEntries(servers.map((name) => [name, { shipped: name }]));
      const config = { mcpServers, services: ['./letters.ts'] };
      writeFileSync(join(place, 'all.yaml'), JSON.stringify(config));
      const args = ['--plan', 'all.plan.yaml', '--config', 'all.yaml', '--json'];
      const { stdout, stderr } = await run(lowest, [program, 'run', ...args]);
      expect(stderr).not.toMatch(/warning/i);
      const report = JSON.parse(stdout) as { tasks: Record<string, { status: string }> };
      const ended = Object.entries(report.tasks).map(([id, { status }]) => [id, status]);
      expect(ended).toEqual(tasks.map(({ id }) => [id, 'succeeded']));
    });

    it('serves the API and the page', async () => {
      const { child, finished } = start(lowest, [program, 'serve', '--port', '0'], { cwd: small() });
      try {
        const url = await new Promise<string>((found, failed) => {
          let said = '';
          const look = (chunk: Buffer) => {
            said += chunk.toString();
            const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
            if (address !== undefined) found(address);
          };
          child.stdout.on('data', look);
          child.stderr.on('data', look);
          child.once('exit', () => failed(new Error(said)));
        });
        const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
        const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
        expect((await fetch(new URL(script, url))).headers.get('content-type')).toContain('javascript');
        expect((await fetch(`${url}/api/runs`)).status).toBe(200);
      } finally {
        child.kill('SIGTERM');
      }
      expect((await finished).code).toBe(0);
    });

    it.each([
      ['lowest', lowest],
      ['own', process.execPath],
    ])(
      'runs the lines of the README as they are written, on the %s Node, in a new project',
      async (which, node) => {
        const readme = readFileSync(join(folder, 'README.md'), 'utf8');
        const [, lines = ''] =
          /<!-- from examples\/library\/agent\.ts -->\n```ts\n([\s\S]*?)```/.exec(readme) ?? [];
        // `npm init -y` makes a project of CommonJS.
        const cwd = join(place, `lines-${which}`);
        mkdirSync(cwd);
        writeFileSync(join(cwd, 'package.json'), '{"type": "commonjs"}');
        expect(readme).toContain('node agent.mts');
        writeFileSync(join(cwd, 'agent.mts'), lines);
        const call = (id: string, city: string) => ({ id, operation: 'weather', args: { city } });
        await using model = await startModelServer([
          { actions: [call('t1', 'Tokyo'), call('t2', 'Kyoto'), call('t3', 'Osaka')], expect: '"cities"' },
          {
            actions: [
              { id: 't4', operation: 'answer', args: { text: 'Kyoto.', output: { cities: ['Kyoto'] } } },
            ],
            expect: '"rain":true',
          },
        ]);
        const vars = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: model.url };
        const { code, stdout, stderr } = await run(node, ['agent.mts'], { vars, cwd });
        expect(stdout, stderr).toBe("[ 'Kyoto' ]\n");
        expect(code).toBe(0);
        model.verify();
      },
    );

    it('starts the workers of a program, which load its services', async () => {
      mkdirSync(join(place, 'services'));
      cpSync(join(ROOT, 'examples/services/letters.ts'), join(place, 'services/letters.ts'));
      const example = readFileSync(join(ROOT, 'examples/library/workers.ts'), 'utf8');
      writeFileSync(join(place, 'workers.ts'), example.replace('/../services', '/services'));
      const { code, stdout, stderr } = await run(lowest, ['workers.ts']);
      expect(stdout, stderr).toContain("[ 'answered', { id: 'p3', name: 'Taro Tanaka' } ]");
      expect(code).toBe(0);
    });

    it('lets a journal be written outside of it, and checks that journal', async () => {
      cpSync(join(ROOT, 'examples/library/journal.ts'), join(place, 'journal.ts'));
      const { code, stdout, stderr } = await run(lowest, ['journal.ts']);
      expect(stdout, stderr).toMatch(/^\d{2,} cases passed\n$/);
      expect(code).toBe(0);
    });
  },
);

const old = olderNode();

describe.skipIf(old === undefined)(
  'the packed command on a Node that is too old (skipped where none is on the PATH)',
  () => {
    it('says in both languages which Node it needs', async () => {
      const english = await run(old ?? '', [program, 'run', '1 + 2']);
      expect(english).toMatchObject({ code: 2, stdout: '' });
      expect(english.stderr).toContain(`needs Node ${lowestNode()} or newer`);
      const japanese = await run(old ?? '', [program, 'run', '1 + 2'], { lang: 'ja_JP.UTF-8' });
      expect(japanese.stderr).toContain(`Node ${lowestNode()} 以降が必要です`);
    });

    it('hands over to a newer Node that npm installed, and never to one that is also too old', async () => {
      const bring = (version: string) => {
        const brought = join(place, 'node_modules/node');
        mkdirSync(join(brought, 'bin'), { recursive: true });
        writeFileSync(join(brought, 'package.json'), JSON.stringify({ name: 'node', version }));
        writeFileSync(join(brought, 'bin/node'), '#!/bin/sh\necho handed over\n', { mode: 0o755 });
      };
      bring('18.20.0');
      expect(await run(old ?? '', [program, '--version'])).toMatchObject({ code: 2, stdout: '' });
      bring('v24.1.0');
      expect(await run(old ?? '', [program, '--version'])).toMatchObject({
        code: 0,
        stdout: 'handed over\n',
      });
    });
  },
);

/** A Node on the PATH that is older than the published package needs. */
function olderNode(): string | undefined {
  const [major = 0, minor = 0] = lowestNode().split('.').map(Number);
  const found = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'));
  return found.filter(existsSync).find((node) => {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1).split('.').map(Number);
    return (version[0] ?? 0) < major || (version[0] === major && (version[1] ?? 0) < minor);
  });
}
