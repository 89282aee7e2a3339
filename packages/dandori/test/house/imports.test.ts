import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../../src');

/** Which rooms a room may import from. A room that is missing here may import nothing. */
const MAY_IMPORT: Record<string, string> = {
  model: '',
  documents: 'model',
  search: 'model',
  plan: 'model documents',
  secrets: 'model plan store',
  run: 'model documents plan',
  views: 'model plan run',
  tools: 'model search plan secrets run views',
  store: 'model',
  mind: 'model search plan run views',
  driver: 'secrets model plan run views tools store mind',
  commands: 'secrets model plan run views tools store',
  history: 'secrets model plan run views tools store driver commands',
  conversation: 'secrets model run views tools store mind driver commands',
  telemetry: 'model store',
  config: 'secrets model documents plan',
  workers: 'model store',
  app: 'secrets model documents plan run views tools store mind driver commands history conversation telemetry config workers',
  client: 'model views history conversation server',
  server: 'model documents plan run views tools store history conversation config workers app',
  cli: 'model documents plan run views commands history conversation config workers app client server',
  testing: 'secrets model plan run views tools store mind driver commands history',
  'index.ts':
    'model documents plan run views tools store mind driver commands history conversation config app client',
};

/** Imports that still go the wrong way. This list only gets shorter. */
const STILL_WRONG: readonly string[] = [];

/** These rooms run in a browser. The page imports from them, and so may every other room. */
const PURE_ROOMS = ['model', 'documents', 'search', 'plan', 'run', 'views'];
/** Files of pure rooms that read files. */
const IMPURE_FILES = ['documents/text-file.ts', 'plan/read.ts'];
/** Pure files of rooms that also hold files with I/O. The page imports some of them. */
const PURE_FILES = [
  'commands/answer-phrases.ts',
  'commands/answer-options.ts',
  'commands/answer-words.ts',
  'commands/label-words.ts',
  'conversation/answer-value.ts',
  'conversation/interpret.ts',
  'conversation/laws.ts',
  'conversation/reports.ts',
  'conversation/state.ts',
  'conversation/strangers.ts',
  'history/case.ts',
  'history/diff.ts',
  'history/fork-point.ts',
  'history/save-as-plan.ts',
  'history/plan-history.ts',
  'history/statistics.ts',
  'store/statistics.ts',
  'tools/offer.ts',
];
/** What pure files may import from outside: nothing that reads a clock, a file or the network. */
const PURE_PACKAGES = ['zod', '@jmespath-community/jmespath', 'yaml'];

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

const textOf = (file: string) => readFileSync(join(SOURCE, file), 'utf8');
const codeOf = (file: string) => textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
const roomOf = (file: string) => file.split('/')[0] ?? '';

function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

function isPure(file: string): boolean {
  return PURE_FILES.includes(file) || (PURE_ROOMS.includes(roomOf(file)) && !IMPURE_FILES.includes(file));
}

/**
 * Rooms that other rooms enter through `index.ts`. The pure rooms have no such door: the page bundles single files of them,
 * and would load a whole room for one function.
 */
const ENTERED_BY_INDEX =
  'secrets tools store mind driver commands history conversation telemetry config workers app server'.split(
    ' ',
  );
/**
 * Heavy parts with a door of their own. A file that needs only the contract of the room does not load them. The version
 * has one because `dandori --help` needs nothing else of `config`.
 */
const SECOND_DOORS = [
  'config/project/index.ts',
  'config/version.ts',
  'history/all-runs.ts',
  'store/implementations.ts',
  'tools/schema/check.ts',
];

describe('the rooms', () => {
  it('that act are entered through their index, so that their files can change', () => {
    const wrong = files
      // Public entries of the package, and files that the page or a browser may load, take what they need file by file.
      .filter((file) => !file.endsWith('index.ts') && roomOf(file) !== 'client' && !isPure(file))
      .flatMap((file) =>
        [...textOf(file).matchAll(/^(?:import|export) [^;]*?from '(\.[^']+)'/gm)]
          .map((match) => relative(SOURCE, join(SOURCE, file, '..', match[1] ?? '')))
          .filter((target) => roomOf(target) !== roomOf(file) && ENTERED_BY_INDEX.includes(roomOf(target)))
          .filter((target) => target !== `${roomOf(target)}/index.ts` && !SECOND_DOORS.includes(target))
          .map((target) => `${file} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('import one way, so that a room can be understood and tested without those above it', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => roomOf(relative(SOURCE, join(SOURCE, file, '..', target))))
        .filter(
          (room) => room !== roomOf(file) && !(MAY_IMPORT[roomOf(file)] ?? '').split(' ').includes(room),
        )
        .map((room) => ({ way: `${roomOf(file)} -> ${room}`, what: `${file} must not import from ${room}` })),
    );
    expect(wrong.filter(({ way }) => !STILL_WRONG.includes(way)).map(({ what }) => what)).toEqual([]);
    expect(STILL_WRONG.filter((way) => !wrong.some((one) => one.way === way))).toEqual([]);
  });

  it('have no file that is imported for what it does: the bundle leaves out files of which nothing is used', () => {
    expect(files.filter((file) => /^import '/m.test(codeOf(file)))).toEqual([]);
  });

  it('have a built-in planner that only `app` knows, and that knows no language model', () => {
    const isInside = (file: string) => file.startsWith('mind/built-in/');
    const crossings = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith('.'))
        .map((target) => relative(SOURCE, join(SOURCE, file, '..', target)))
        .filter((target) =>
          isInside(file)
            ? roomOf(target) === 'mind' && !isInside(target) && target !== 'mind/mind.ts'
            : isInside(target) && file !== 'app/open.ts',
        )
        .map((target) => `${file} imports ${target}`),
    );
    expect(crossings).toEqual([]);
  });

  it('have pure files that run in a browser: no Node, no clock, no chance, no promise', () => {
    const pure = files.filter(isPure);
    expect(pure.length).toBeGreaterThan(80);
    expect([...PURE_FILES, ...IMPURE_FILES].filter((file) => !files.includes(file))).toEqual([]);
    const wrong = pure.flatMap((file) => {
      const packages = importsOf(file).filter(
        (target) => !target.startsWith('.') && !PURE_PACKAGES.includes(target),
      );
      const impure =
        codeOf(file).match(
          /\b(?:Date|Math\.random|Promise|async|setTimeout|process\.|Buffer|console|fetch(?=\())\b/g,
        ) ?? [];
      return [...packages, ...impure].map((what) => `${file} uses ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  it('have pure files that import only pure files, so that the page can bundle them', () => {
    const wrong = files.filter(isPure).flatMap((file) =>
      [...textOf(file).matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm)]
        .map((match) => relative(SOURCE, join(SOURCE, file, '..', match[1] ?? '')))
        .filter((target) => !isPure(target))
        .map((target) => `${file} imports ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('have a client that runs in a browser: nothing of Node, and of other rooms types only', () => {
    const wrong = files
      .filter((file) => roomOf(file) === 'client')
      .flatMap((file) => {
        const values = (textOf(file).match(/^(?:import|export) [^;]*from '[^']+'/gm) ?? []).filter(
          (line) => !/^(?:import|export) type /.test(line) && !/from '\.\//.test(line),
        );
        const impure = codeOf(file).match(/\b(?:process|Buffer|NodeJS|node:\w+)\b/g) ?? [];
        return [...values.filter((line) => !/'\.\.\/model\/(error|json)\.ts'/.test(line)), ...impure];
      });
    expect(wrong).toEqual([]);
  });

  it('read and write JSON in one place, so that no number becomes another one on its way', () => {
    const allowed = [
      'model/json.ts',
      // What Node or the engine itself has written.
      'config/version.ts',
      'store/files/lock.ts',
      // With a reviver or a replacer of their own.
      'run/state/state.ts',
      'mind/parsing/lenient-json.ts',
      // On the way into the SDK, where integers are texts.
      'tools/mcp/exact-numbers.ts',
      // What an SDK has rounded already: its numbers must not look exact.
      'mind/language/wire/provider.ts',
    ];
    const wrong = files
      .filter((file) => !allowed.includes(file))
      .filter((file) => /\bJSON\.(?:parse|stringify)\b|\bstructuredClone\(/.test(codeOf(file)));
    expect(wrong).toEqual([]);
  });

  it('write a helper once, so that a fix of it reaches every caller', () => {
    const helpers: readonly { use: string; home: string; copy: RegExp }[] = [
      {
        use: 'isObject',
        home: 'model/json.ts',
        copy: /typeof (\w+) [!=]== 'object' (?:&&|\|\|) \1 [!=]== null (?:&&|\|\|) !?Array\.isArray/,
      },
      { use: 'asObject', home: 'model/json.ts', copy: /isObject\(([\w.]+)\) \? \1 : \{\}/ },
      { use: 'decodedUri', home: 'model/text.ts', copy: /return decodeURIComponent\((\w+)\);\n\s*\} catch/ },
      { use: 'asText', home: 'model/json.ts', copy: /typeof (\w+) === 'string' \? \1 : stringifyJson\(\1\)/ },
      { use: 'isUnfinished', home: 'model/event.ts', copy: /\['open', 'waiting', 'paused'\]/ },
      // It leaves no half of a surrogate pair.
      { use: 'clip', home: 'model/text.ts', copy: /\.slice\(0, [^)]*\)\}…/ },
      {
        use: 'messageOf',
        home: 'model/error.ts',
        copy: /(\w+) instanceof Error \? \1\.message : String\(\1\)/,
      },
    ];
    const copies = helpers.flatMap(({ use, home, copy }) =>
      files
        .filter((file) => file !== home && copy.test(textOf(file)))
        .map((file) => `${file} must use ${use} of ${home}`),
    );
    expect(copies).toEqual([]);
  });

  it('write the sentence of an error once, so that no copy keeps the old words', () => {
    const written = /new (?:DandoriError|RunError)\(\s*'[\w-]+',\s*(['"`])((?:(?!\1).)*)\1/g;
    const places = files.flatMap((file) =>
      [...new Set([...textOf(file).matchAll(written)].map(([, , sentence = '']) => sentence))].map(
        (sentence) => ({ file, sentence }),
      ),
    );
    expect(places.length).toBeGreaterThan(150);
    const groups = [...Map.groupBy(places, ({ sentence }) => sentence).values()];
    expect(groups.filter(({ length }) => length > 1)).toEqual([]);
  });

  it('have files that are concepts: none over 450 lines, no bags, no folder with more than 20', () => {
    const long = files.filter((file) => textOf(file).split('\n').length > 450);
    const bags = files.filter((file) => /(^|\/)(utils?|helpers?|misc|common|types|manager)\.ts$/.test(file));
    const folders = Map.groupBy(files, (file) => file.split('/').slice(0, -1).join('/'));
    const crowded = [...folders].filter(([, own]) => own.length > 20).map(([folder]) => folder);
    expect([...long, ...bags, ...crowded]).toEqual([]);
  });
});
