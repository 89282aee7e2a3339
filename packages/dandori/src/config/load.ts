import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type * as z from 'zod';
import { withoutJsonComments } from '../documents/edit.ts';
import { pathText } from '../documents/place.ts';
import { type LocatedProblem, MAX_PROBLEMS, type Problem, problemsError } from '../documents/problem.ts';
import { shapeProblems, vocabularyOf, withoutEmptyKeys } from '../documents/shape.ts';
import { openSource, type Source } from '../documents/source.ts';
import { readTextFile } from '../documents/text-file.ts';
import { DandoriError } from '../model/error.ts';
import { asObject, isObject, valueAt } from '../model/json.ts';
import { redact } from '../model/redact.ts';
import { withoutNames } from '../secrets/index.ts';
import { approvalProblems } from './approvals.ts';
import type { Config } from './config.ts';
import { type Environment, expandVariables, readVariable, resolvePath } from './environment.ts';
import { type ConfigFile, configShape, FOREIGN_KEYS } from './file-shape.ts';
import { applyLayers, type Layer, layerOf } from './layer.ts';
import { modelProblems, resolveModel } from './model.ts';
import { resolvePolicies } from './policies.ts';
import { isMcpFile, MCP_FILES, mcpServersIn } from './project/mcp-file.ts';
import { collectSecrets, maskLine, maskUnparsedLine, strayedSecrets } from './secrets.ts';
import { resolveServer, resolveServers, serverProblems } from './servers.ts';
import { executionProblems, resolveSettings } from './settings.ts';
import { asWritten, isShortName, shortNameProblems, withLongNames } from './short-names.ts';
import { resolveTelemetry } from './telemetry-shape.ts';
import { safeSections } from './user-config.ts';

export interface LoadOptions {
  /** `--config FILE`, relative to `cwd`. The default is `dandori.yaml` or `dandori.yml` in `cwd`; null for none. */
  readonly file?: string | null | undefined;
  /** The folder of the file. Default: the current folder. */
  readonly cwd?: string | undefined;
  /** Default: the variables of this process. */
  readonly env?: Environment;
  /** Values that override the file. Later layers win. */
  readonly layers?: readonly Layer[];
  /**
   * `read` is for commands that only look at runs. They ignore the model, the servers and the services, and
   * so work without the keys that a run needs.
   */
  readonly use?: 'run' | 'read';
  /** Keys of the file to ignore, because the caller passes its own values. */
  readonly without?: readonly string[];
  /** False if no demo servers are used where no server is configured. */
  readonly demo?: boolean;
}

const MAX_BYTES = 1_000_000;

/** Returns the configuration, or throws one `DandoriError` that lists everything that is wrong with it. */
export async function loadConfig(options: LoadOptions = {}): Promise<Config> {
  const { cwd = process.cwd(), env = process.env, demo = true } = options;
  const layers = [...environmentLayers(env), ...(options.layers ?? [])];
  const file = findFile(options.file, cwd);
  const folder = file === undefined ? resolve(cwd) : dirname(file);
  const source = file === undefined ? undefined : await readSource(file, cwd);
  const content = source?.value ?? {};
  const found = without(
    withLongNames(isMcpFile(file) ? mcpServersIn(content) : content),
    options.without ?? [],
  );
  const long = layers.map(({ origin, values }) => ({ origin, values: asObject(withLongNames(values)) }));
  const given = withoutEmptyKeys(applyLayers(found, long));
  const written = options.use === 'read' ? withoutTools(given) : given;
  const { value, expansions, problems: variables } = expandVariables(written, env);
  // A text around a variable that is not set is no secret: the user wrote it, and the error has to show it.
  const declared = collectSecrets(value, expansions).filter((secret) => !secret.includes('${'));
  const secrets = [...declared, ...strayedSecrets(written)];
  const parsed = configShape.safeParse(value);
  const instructions = await readInstructions(valueAt(value, ['instructions']), folder);
  const problems = [
    ...variables,
    ...(parsed.success ? [] : fileProblems(parsed.error, { written, secrets, variables })),
    ...instructions.problems,
    ...executionProblems(value),
    ...modelProblems(value, env),
    ...serverProblems(value),
    ...approvalProblems(value),
    ...serviceProblems(value, folder),
    ...[source?.value, ...layers.map(({ values }) => values)].flatMap(shortNameProblems),
  ];
  if (problems.length > 0 || !parsed.success) throw toError(problems, { source, layers, secrets });
  const model = parsed.data.model && resolveModel(parsed.data.model, env);
  const telemetry = options.use === 'read' ? undefined : resolveTelemetry(parsed.data.telemetry, env);
  const servers =
    options.use === 'read' ? NO_SERVERS : resolveServers(parsed.data.mcpServers, { folder, cwd, env, demo });
  return {
    file,
    folder,
    model,
    settings: resolveSettings(parsed.data, servers.mcpServers),
    planning: resolvePlanning(parsed.data.planning),
    instructions: instructions.text,
    ...servers,
    effects: resolvePolicies(parsed.data.effects),
    services: parsed.data.services.map((path) => resolvePath(folder, path)),
    directory: resolvePath(folder, parsed.data.planning.history.directory ?? DIRECTORY),
    store: parsed.data.store,
    memory: resolveMemory(parsed.data.memory, folder),
    userId: parsed.data.user_id,
    language: parsed.data.language,
    server: resolveServer(parsed.data.server),
    userConfigApi: resolveUserConfigApi(parsed.data.user_config_api, value),
    telemetry,
    secrets: allSecrets(given, env),
  };
}

/**
 * Also collects the secrets for a command that only looks at runs, because it may write a note or an answer.
 * Problems in the configuration are ignored here.
 */
function allSecrets(given: unknown, env: Environment): readonly string[] {
  const { value, expansions } = expandVariables(given, env);
  const file = configShape.safeParse(value);
  const model = file.data?.model && resolveModel(file.data.model, env);
  // Headers from environment variables are not in the file.
  const telemetry = file.success ? resolveTelemetry(file.data.telemetry, env) : undefined;
  const keys = [model?.apiKey, model?.fallback?.apiKey];
  const config = asObject(value);
  const secrets = collectSecrets({ ...config, ...(telemetry && { telemetry }) }, expansions, keys);
  return withoutNames(secrets, isObject(config.mcpServers) ? Object.keys(config.mcpServers) : []);
}

const NO_SERVERS = { mcpServers: {}, disabledServers: [] };

function withoutTools(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { model: _model, mcpServers: _servers, services: _services, ...rest } = value;
  const { user_config_api: _userConfigApi, telemetry: _telemetry, ...others } = rest;
  return others;
}

function resolveUserConfigApi(
  section: ConfigFile['user_config_api'],
  file: unknown,
): Config['userConfigApi'] {
  if (section === undefined) return undefined;
  const { timeout: timeoutMs, headers = {}, ...rest } = section;
  return { ...rest, headers, timeoutMs, over: safeSections(file) };
}

function fileProblems(
  error: z.ZodError,
  { written, secrets, variables }: { written: unknown; secrets: string[]; variables: readonly Problem[] },
): Problem[] {
  const words = { vocabulary: vocabularyOf(configShape), foreign: FOREIGN_KEYS, written, secrets };
  // A value with a missing variable also fails the schema. Only the missing variable is reported.
  const reported = new Set(variables.map(({ path }) => pathText(path)));
  return shapeProblems(error, words).filter(({ path }) => !reported.has(pathText(path)));
}

/** `DANDORI_MODEL=openai/gpt-5-mini` chooses the model for every command of a shell. */
function environmentLayers(env: Environment): Layer[] {
  const model = readVariable(env, 'DANDORI_MODEL')?.trim() ?? '';
  return model === '' ? [] : [{ origin: 'DANDORI_MODEL', values: { model } }];
}

function without(value: unknown, keys: readonly string[]): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
    : value;
}

export function findFile(file: string | null | undefined, cwd: string): string | undefined {
  if (file === null) return undefined;
  if (file !== undefined) return resolve(cwd, file);
  const found = ['dandori.yaml', 'dandori.yml']
    .map((name) => resolve(cwd, name))
    .filter((path) => existsSync(path));
  if (found.length > 1) {
    throw new DandoriError(
      'config-invalid',
      'there are both dandori.yaml and dandori.yml, and only one can be used',
      {
        fix: 'remove one of them, or choose one with --config',
      },
    );
  }
  return found[0] ?? MCP_FILES.map((name) => resolve(cwd, name)).find((path) => existsSync(path));
}

/** The file as a source, and its text. */
export async function readSource(file: string, cwd: string): Promise<Source & { readonly text: string }> {
  const fromHere = relative(cwd, file);
  const name = fromHere.startsWith('..') || isAbsolute(fromHere) ? file : fromHere;
  const rules = { name, code: 'config-invalid', missing: 'config-not-found', maxBytes: MAX_BYTES } as const;
  const text = await readTextFile(file, rules);
  // Editors allow comments in the JSON of other hosts.
  const source = openSource(isMcpFile(file) ? withoutJsonComments(text) : text, name);
  if (source.problems.length === 0) return { ...source, text };
  const problems = source.problems.map(({ place, ...problem }) => ({
    ...problem,
    ...(place !== undefined && { place: { ...place, text: maskUnparsedLine(place.text) } }),
  }));
  throw problemsError('config-invalid', name, { problems, fix: FIX });
}

/** Where runs are stored by default. */
const DIRECTORY = '.dandori/runs';

const FIX = 'correct what is shown; `dandori init` writes a file with every key and its default';

function serviceProblems(value: unknown, folder: string): Problem[] {
  const services = valueAt(value, ['services']);
  if (!Array.isArray(services)) return [];
  return services.flatMap((path, index): Problem[] => {
    if (typeof path !== 'string' || path === '' || existsSync(resolvePath(folder, path))) return [];
    const hint = `paths are relative to ${folder}`;
    return [
      {
        path: ['services', index],
        at: 'value',
        message: `services[${index}]: there is no file ${path}`,
        hint,
      },
    ];
  });
}

function resolvePlanning({ history }: ConfigFile['planning']): Config['planning'] {
  return { history: { storageType: history.storage_type, isFolderNamed: history.directory !== undefined } };
}

function resolveMemory(memory: ConfigFile['memory'], folder: string): Config['memory'] {
  if (!memory.enabled) return undefined;
  return { folder: resolvePath(folder, memory.folder), tokens: memory.max_tokens };
}

interface Origins {
  readonly source: Source | undefined;
  readonly layers: readonly Layer[];
  readonly secrets: readonly string[];
}

function toError(problems: readonly Problem[], { source, layers, secrets }: Origins): DandoriError {
  const name = source?.name ?? 'the configuration';
  const variables = problems.filter(({ kind }) => kind === 'variable');
  const onlyVariables = variables.length === problems.length;
  // The hint of a single problem becomes the fix, so it is not repeated in the message.
  const single = onlyVariables && problems.length === 1 ? problems[0]?.hint : undefined;
  const located = problems.slice(0, MAX_PROBLEMS).map((found): LocatedProblem => {
    const origin = layerOf(found.path, layers);
    const { path, at, hint, ...rest } = asWritten(
      found,
      origin === undefined ? source?.value : origin.values,
    );
    const problem = { ...rest, ...(hint !== undefined && single === undefined && { hint }) };
    if (origin !== undefined || source === undefined) return { ...problem, where: origin?.origin ?? name };
    const place = source.locate(path, at);
    return { ...problem, where: name, place: { ...place, text: maskLine(place.text, secrets) } };
  });
  const { code, message, fix } = problemsError(
    onlyVariables ? 'environment-variable-missing' : 'config-invalid',
    name,
    {
      problems: located,
      total: problems.length,
      fix: single ?? (onlyVariables ? 'set these variables in the shell that starts Dandori' : FIX),
    },
  );
  return new DandoriError(code, redact(message, secrets), fix === undefined ? {} : { fix });
}

/** The instructions are part of every decision, so a long text would cost its tokens each time. */
const MAX_INSTRUCTIONS = 200_000;

/** Reads the user's own instructions. The value may still have any shape. */
async function readInstructions(
  value: unknown,
  folder: string,
): Promise<{ text: string | undefined; problems: Problem[] }> {
  if (typeof value === 'string') {
    // "notes.md" is hardly an instruction.
    if (!/^\S+\.(?:md|txt)$/.test(value) || !existsSync(resolvePath(folder, value)))
      return { text: value, problems: [] };
    const message = `instructions: "${value}" is a file`;
    const hint = `write { file: ${value} }`;
    return { text: undefined, problems: [{ path: ['instructions'], at: 'value', message, hint }] };
  }
  const file = valueAt(value, ['file']);
  if (typeof file !== 'string' || file === '') return { text: undefined, problems: [] };
  const path = resolvePath(folder, file);
  try {
    const rules = {
      name: path,
      code: 'config-invalid',
      missing: 'config-not-found',
      maxBytes: MAX_INSTRUCTIONS,
    } as const;
    return { text: await readTextFile(path, rules), problems: [] };
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    const message = `instructions: ${error.message}`;
    const isMissing = error.code === 'config-not-found';
    const hint = isMissing ? `the path is relative to ${folder}` : error.fix;
    return { text: undefined, problems: [{ path: ['instructions', 'file'], at: 'value', message, hint }] };
  }
}

/** Whether a configuration has this key at the top, or a hint for it. */
export function isConfigKey(key: string): boolean {
  return Object.hasOwn(configShape.shape, key) || isShortName(key) || FOREIGN_KEYS.has(key);
}
