import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isCancel, password, text } from '@clack/prompts';
import {
  addToEnvFile,
  DEMO_SERVERS,
  KEY_VARIABLES,
  loadConfig,
  MCP_FILES,
  schemaLine,
} from '../../config/index.ts';
import { CONFIG_TEMPLATE, importServers } from '../../config/project/index.ts';
import { withEntry, withoutEntry } from '../../documents/edit.ts';
import { DandoriError, messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { PROVIDERS, type Provider, splitModelName } from '../../model/settings.ts';
import { asTyped } from '../command-line.ts';
import { choose, chooseSome } from '../questions/prompts.ts';
import { printable, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';

const FILE = 'dandori.yaml';

export interface InitOptions {
  readonly force?: boolean;
  readonly yes?: boolean;
  /** `provider/name`. */
  readonly model?: string;
  /** False for `--no-check`. */
  readonly check?: boolean;
  readonly json?: boolean;
}

interface Model {
  readonly provider: Provider;
  readonly name: string;
  readonly base_url?: string;
  readonly api_key_env?: string;
}

/** What the user wants, by answers or by options. */
interface Choices {
  readonly model: Model | undefined;
  /** Goes into `.env`. */
  readonly variables: Readonly<Record<string, string>>;
  /** Undefined for the demo servers. */
  readonly servers: readonly Source[] | undefined;
  readonly isChecked: boolean;
}

/** The shipped `files` server, or servers of another program. */
type Source = 'demo' | 'files' | 'claude' | 'vscode' | 'cursor' | (typeof MCP_FILES)[number];

/** Returns 1 if the model does not answer. The file is written nevertheless. */
export async function init(options: InitOptions): Promise<number> {
  const texts = textsFor({});
  if (options.force !== true && existsSync(FILE))
    throw new DandoriError('usage', `${FILE} already exists.`, {
      fix: 'dandori init --force overwrites it.',
    });
  const given = options.model === undefined ? undefined : modelFrom(options.model);
  const isAsked =
    options.yes !== true &&
    options.json !== true &&
    process.stdin.isTTY === true &&
    process.stderr.isTTY === true;
  // These are no longer read where there is a dandori.yaml, so their servers come along.
  const known = MCP_FILES.filter((name) => existsSync(name));
  const choices: Choices = isAsked
    ? await askAll(given, known, texts)
    : { model: given, variables: {}, servers: known.length > 0 ? known : undefined, isChecked: false };
  addToEnvFile('.', choices.variables);
  Object.assign(process.env, choices.variables);
  await write(fileText(choices, texts));
  const say = (line: string) => options.json !== true && process.stdout.write(`${line}\n`);
  const checked =
    choices.model === undefined || choices.isChecked || options.check === false
      ? undefined
      : await tryModel(choices.model, { env: process.env, texts });
  if (checked !== undefined) say(checked.line);
  const imported = choices.servers?.filter((source) => source !== 'demo' && source !== 'files') ?? [];
  if (options.json === true)
    process.stdout.write(
      `${stringifyJson({ file: FILE, model: choices.model ?? null, ...(checked?.isAnswered !== undefined && { answered: checked.isAnswered }), imported })}\n`,
    );
  for (const from of imported) await importFrom(from, { isAsked, isQuiet: options.json === true });
  say(asTyped(texts.written(FILE)));
  return checked?.isAnswered === false ? 1 : 0;
}

async function importFrom(
  from: Source,
  { isAsked, isQuiet }: { isAsked: boolean; isQuiet: boolean },
): Promise<void> {
  const { add } = await import('../setup/add.ts');
  await add([], { from, check: isAsked, isQuiet });
}

/** `openai/gpt-5-mini`. */
function modelFrom(written: string): Model {
  const named = splitModelName(written);
  if (named !== undefined) return named;
  throw new DandoriError('usage', `--model takes provider/name, not "${written}".`, {
    fix: `Write a provider (${PROVIDERS.join(', ')}) and a name: --model openai/gpt-5-mini`,
  });
}

const DEFAULT_NAMES: Readonly<Record<Provider, string>> = {
  openai: 'gpt-5-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
  ollama: 'qwen3',
  'openai-compatible': 'my-model',
};

/** The three questions: model, key, servers. */
async function askAll(given: Model | undefined, known: readonly Source[], texts: Texts): Promise<Choices> {
  const model = given ?? (await askModel(texts));
  const variables: Record<string, string> = {};
  const isChecked = model !== undefined && (await askKey(model, variables, texts));
  return { model, variables, servers: await askServers(known, texts), isChecked };
}

async function askModel(texts: Texts): Promise<Model | undefined> {
  const { init: words } = texts;
  const provider = chosen(
    await choose<Provider | 'none'>({ message: words.whichModel, texts }, [
      ...PROVIDERS.map((value) => ({ value, label: words.providers[value] })),
      { value: 'none', label: words.noModel },
    ]),
  );
  if (provider === 'none') return undefined;
  const base =
    provider === 'openai-compatible'
      ? await askText(words.whichAddress, 'http://localhost:8080/v1')
      : undefined;
  const found = { provider, name: DEFAULT_NAMES[provider], ...(base !== undefined && { base_url: base }) };
  const offered = provider === 'ollama' || base !== undefined ? await namesOf(found) : [];
  if (offered.length === 0) return { ...found, name: await askText(words.whichName, found.name) };
  const names = offered.map((value) => ({ value, label: printable(value) }));
  return { ...found, name: chosen(await choose({ message: words.whichName, texts }, names)) };
}

/** What a local server offers. */
async function namesOf(model: Model): Promise<readonly string[]> {
  const { model: config } = await loadWith(model, process.env);
  if (config === undefined) return [];
  const listed = await (await import('../../app/index.ts')).listModels(config);
  return 'models' in listed ? listed.models.slice(0, 50) : [];
}

function loadWith(model: Model, env: NodeJS.ProcessEnv) {
  return loadConfig({
    file: null,
    env,
    layers: [{ origin: FILE, values: { model: { ...model } } }],
    demo: false,
  });
}

/** Asks for the key until the model answers or the user goes on. True if the model was tried. */
async function askKey(model: Model, variables: Record<string, string>, texts: Texts): Promise<boolean> {
  const { init: words } = texts;
  const names = KEY_VARIABLES[model.provider];
  const [variable] = names;
  let isMissing = variable !== undefined && !names.some((name) => (process.env[name] ?? '') !== '');
  for (;;) {
    if (isMissing && variable !== undefined) {
      const key = chosen(
        // Undefined if the user just presses Enter.
        (await password({ message: words.whichKey(variable), output: process.stderr })) ?? '',
      );
      if (key === '') return true;
      variables[variable] = key;
    }
    const { isAnswered, line } = await tryModel(model, { env: { ...process.env, ...variables }, texts });
    process.stderr.write(`${line}\n`);
    if (isAnswered !== false || variable === undefined) return true;
    const next = await choose<'again' | 'keep'>({ message: words.notGood, texts }, [
      { value: 'again', label: words.anotherKey },
      { value: 'keep', label: words.keepIt },
    ]);
    if (chosen(next) === 'keep') return true;
    isMissing = true;
  }
}

interface Trying {
  readonly env: NodeJS.ProcessEnv;
  readonly texts: Texts;
}

/** `isAnswered`: undefined if the model was not called, because its key is not set. A script may set it later. */
interface Tried {
  readonly isAnswered?: boolean;
  readonly line: string;
}

/** One call. */
async function tryModel(model: Model, { env, texts }: Trying): Promise<Tried> {
  const style = styleFor(process.stderr);
  try {
    const { model: config } = await loadWith(model, env);
    if (config === undefined) return { line: '' };
    const { checkModel } = await import('../../app/index.ts');
    const { name, ms, problem } = await checkModel(config);
    return problem === undefined
      ? {
          isAnswered: true,
          line: `${style.green('✓')} ${name}: ${texts.checkup.answered((ms / 1000).toFixed(1))}`,
        }
      : { isAnswered: false, line: `${style.red('✗')} ${printable(texts.message(problem))}` };
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    const isLater = error.code === 'environment-variable-missing';
    return {
      ...(!isLater && { isAnswered: false }),
      line: `${style.yellow('!')} ${printable(texts.message(error.fix ?? error.message))}`,
    };
  }
}

async function askServers(known: readonly Source[], texts: Texts): Promise<readonly Source[]> {
  const { init: words } = texts;
  const hosts = await Promise.all(
    (['claude', 'vscode', 'cursor'] as const).map(async (host) => {
      const found = await importServers(host, { folder: resolve('.'), env: process.env }).catch(
        () => undefined,
      );
      return found === undefined
        ? []
        : [{ value: host, label: words.from(words.hosts[host], Object.keys(found.servers)) }];
    }),
  );
  const answer = await chooseSome<Source>(
    { message: words.whichServers, texts },
    [
      { value: 'demo', label: words.demo(DEMO_SERVERS) },
      { value: 'files', label: words.files },
      ...known.map((value) => ({ value, label: words.from(value, []) })),
      ...hosts.flat(),
    ],
    { initialValues: known.length > 0 ? known : ['demo'], required: false },
  );
  return chosen(answer);
}

async function askText(message: string, initial: string): Promise<string> {
  const answer = chosen(
    await text({ message, placeholder: initial, defaultValue: initial, output: process.stderr }),
  );
  return answer === '' ? initial : answer;
}

/** Ctrl-C ends the command before anything is written. */
function chosen<Value>(answer: Value): Exclude<Value, symbol | undefined> {
  if (answer !== undefined && !isCancel(answer)) return answer as Exclude<Value, symbol | undefined>;
  throw new DandoriError('usage', 'Nothing was written.', { fix: 'dandori init --yes asks nothing.' });
}

function fileText({ model, servers }: Choices, texts: Texts): string {
  let file = `${schemaLine('.')}${templateIn(texts)}`;
  if (servers !== undefined && !servers.includes('demo'))
    for (const name of DEMO_SERVERS) file = withoutEntry(file, ['mcpServers', name]);
  if (servers?.includes('files')) file = withEntry(file, ['mcpServers', 'files'], { shipped: 'files' });
  if (model === undefined) return file;
  const lines = Object.entries(model).map(([key, value]) => `  ${key}: ${stringifyJson(value)}\n`);
  return file.replace('# model:\n', `model:\n${lines.join('')}# model:\n`);
}

async function write(content: string): Promise<void> {
  try {
    await writeFile(FILE, content);
  } catch (error) {
    throw new DandoriError('usage', `Cannot write ${FILE}: ${messageOf(error)}`, {
      cause: error,
      fix: 'Use a folder that you can write to.',
    });
  }
}

/** Only comments are translated, so that the file means the same in every language. */
export function templateIn({ message }: Pick<Texts, 'message'>): string {
  return CONFIG_TEMPLATE.split('\n')
    .map((line) => {
      const [, before = '', comment = ''] = /^(# |.*?\S\s+# )(?!\s)(.+)$/.exec(line) ?? [];
      const translated = message(comment);
      if (translated !== comment) return `${before}${translated}`;
      const [, code = '', last = ''] = /^(.*\S\s+# )(.+)$/.exec(line) ?? [];
      return last === '' ? line : `${code}${message(last)}`;
    })
    .join('\n');
}
