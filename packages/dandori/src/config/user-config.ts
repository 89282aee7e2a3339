import { shapeProblems, vocabularyOf, withoutEmptyKeys } from '../documents/shape.ts';
import { DandoriError } from '../model/error.ts';
import { isObject, parseJson, stringifyJson } from '../model/json.ts';
import { type ApprovalPolicy, approvalPolicy, type Settings, type TrustPolicy } from '../model/settings.ts';
import type { Config, UserConfigApi } from './config.ts';
import { type ConfigFile, configShape, FOREIGN_KEYS } from './file-shape.ts';
import { applyLayers } from './layer.ts';
import { executionProblems, resolveSettings } from './settings.ts';

/** The configuration that a user's configuration is merged into. */
export interface UserConfigBase {
  /** The sections of the file that a user's configuration may change, as written. */
  readonly written: unknown;
  readonly settings: Settings;
  readonly mcpServers: Config['mcpServers'];
}

interface Laid {
  /** The settings of the file if `problems` says that the user's configuration is invalid. */
  readonly settings: Settings;
  /** Keys that only the file may set. */
  readonly refused: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Merges a user's configuration, as the API returned it, into the file's configuration. That API may change
 * how fast or how cheap a run is, and may give instructions to the mind. Only the file decides what is
 * called, with which keys, where data is stored, and what a person must approve.
 */
export function layUserConfig(value: unknown, base: UserConfigBase): Laid {
  const { settings: file } = base;
  if (!isObject(value)) return { settings: file, refused: [], problems: ['it must be a JSON object'] };
  const { kept, refused } = onlySafe(withoutEmptyKeys(value) as Record<string, unknown>, file);
  const merged = applyLayers(base.written, [{ origin: 'the user', values: kept }]);
  const parsed = configShape.safeParse(merged);
  const found = [
    ...(parsed.success
      ? []
      : shapeProblems(parsed.error, {
          vocabulary: vocabularyOf(configShape),
          foreign: FOREIGN_KEYS,
          written: merged,
        })),
    ...executionProblems(merged),
  ];
  const problems = found.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));
  if (!parsed.success || problems.length > 0) return { settings: file, refused, problems };
  const { instructions, language } = kept;
  return {
    settings: {
      ...withoutTrust(resolveSettings(parsed.data, base.mcpServers)),
      // A user's configuration cannot set these, so they stay as they are. The most important one is the list
      // of answerers.
      ...(file.approvals && { approvals: file.approvals }),
      ...(file.questions && { questions: file.questions }),
      ...(file.context && { context: file.context }),
      ...tightened(file, configShape.safeParse({ trust: kept.trust ?? {} }).data?.trust),
      ...(typeof instructions === 'string' && { instructions }),
      ...(language !== undefined && { language: parsed.data.language }),
    },
    refused,
    problems,
  };
}

/** The file's trust settings, with the rules of the user added. A stricter policy of the user wins. */
function tightened(
  { trust: file }: Settings,
  { policy, rules }: ConfigFile['trust'] = { tools: {}, rules: [], endorse: [] },
): Pick<Settings, 'trust'> {
  const asked = policy === undefined || policy === 'off' ? undefined : policy;
  const isStricter =
    asked !== undefined && LOOSEST_FIRST.indexOf(asked) > LOOSEST_FIRST.indexOf(file?.policy ?? 'off');
  const more = rules.filter((rule) => rule.do !== 'allow');
  if (file === undefined && !isStricter) return {};
  const all = [...(file?.rules ?? []), ...more];
  return {
    trust: {
      ...file,
      policy: isStricter ? asked : (file?.policy ?? 'standard'),
      ...(all.length > 0 && { rules: all }),
    },
  };
}

const LOOSEST_FIRST: readonly TrustPolicy[] = ['off', 'observe', 'standard', 'strict'];

function withoutTrust({ trust: _, ...settings }: Settings): Settings {
  return settings;
}

const SECTIONS = ['execution', 'planning', 'instructions', 'language', 'trust'];

/** The part of a configuration that a user's configuration may change. */
export function safeSections(written: unknown): Record<string, unknown> {
  if (!isObject(written)) return {};
  return Object.fromEntries(Object.entries(written).filter(([key]) => SECTIONS.includes(key)));
}

function onlySafe(
  value: Record<string, unknown>,
  { approval }: Settings,
): { kept: Record<string, unknown>; refused: string[] } {
  const kept = safeSections(value);
  const refused = Object.keys(value).filter((key) => !SECTIONS.includes(key));
  const refuse = (section: string, key: string) => {
    const group = kept[section];
    if (!isObject(group) || !Object.hasOwn(group, key)) return;
    const { [key]: _refused, ...rest } = group;
    kept[section] = rest;
    refused.push(`${section}.${key}`);
  };
  // A file name would let the API read any file here and send it to the model.
  if (isObject(kept.instructions)) {
    delete kept.instructions;
    refused.push('instructions.file');
  }
  refuse('planning', 'history');
  // These keys could skip a question that the file requires.
  refuse('trust', 'tools');
  refuse('trust', 'endorse');
  const { trust } = kept;
  if (isObject(trust) && Array.isArray(trust.rules)) {
    const [allowing, others] = [true, false].map((is) =>
      (trust.rules as unknown[]).filter((rule) => (isObject(rule) && rule.do === 'allow') === is),
    );
    if (allowing?.length !== 0) refused.push('trust.rules');
    kept.trust = { ...trust, rules: others };
  }
  refuse('execution', 'order');
  if (isLooser(isObject(kept.execution) ? kept.execution.approval : undefined, approval))
    refuse('execution', 'approval');
  return { kept, refused };
}

/** Only the operator of Dandori decides what a person must approve. */
export function refuseLooser(
  wanted: ApprovalPolicy | undefined,
  { approval, approvals = {} }: Pick<Settings, 'approval' | 'approvals'>,
): void {
  if (wanted === undefined) return;
  if (!isLooser(wanted, approval) && Object.keys(approvals).length === 0) return;
  throw new DandoriError('forbidden', `Only an admin may set approval to ${wanted} here.`, {
    fix: `Leave it out; ${approval} is configured.`,
  });
}

/** A user's configuration may require more approvals than the file, never fewer. */
function isLooser(wanted: unknown, file: Settings['approval']): boolean {
  const { success, data } = approvalPolicy.safeParse(wanted);
  return success && data !== file && !STRICTER[file].includes(data);
}

/**
 * For each policy, the policies that ask about everything that it asks about. `plan` does not replace
 * approvals of calls, because a plan does not show the values of its Refs. Approvals of calls do not replace
 * `plan`, because they do not show the plan.
 */
const STRICTER: Readonly<Record<Settings['approval'], readonly Settings['approval'][]>> = {
  never: ['destructive', 'writes', 'plan', 'step', 'always'],
  destructive: ['writes', 'step', 'always'],
  writes: ['always'],
  plan: ['always'],
  step: [],
  always: [],
};

/** Why a user's configuration is missing or incomplete. */
export type UserConfigProblem =
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'redirect'
  | 'too_large'
  | 'not_json'
  /** It has keys that only the file may have. The other keys are used. */
  | 'refused'
  /** It is invalid, and none of it is used. */
  | 'invalid';

type Asked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: UserConfigProblem; readonly detail: string };

/** Enough for instructions and a few settings. */
const MAX_BYTES = 256 * 1024;

/** Never throws. The text of a problem contains neither the headers nor the query. */
export async function askUserConfig(api: UserConfigApi, userId: string): Promise<Asked> {
  const url = addressOf(api.url, userId);
  if (url === undefined)
    return problem('unreachable', `${stringifyJson(userId)} can't be part of an address`);
  const signal = AbortSignal.timeout(api.timeoutMs);
  try {
    // A redirect is not followed: it would send the headers, and the key in them, to another address.
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...api.headers },
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    if (status >= 300 && status < 400) return await dropped(response, problem('redirect', `HTTP ${status}`));
    if (status < 200 || status > 299) return await dropped(response, problem('status', `HTTP ${status}`));
    const text = await readText(response);
    if (text === undefined) return problem('too_large', `more than ${MAX_BYTES / 1024} kB`);
    return parse(text);
  } catch (error) {
    if (signal.aborted) return problem('timeout', `no answer within ${api.timeoutMs / 1000} s`);
    return problem('unreachable', reasonOf(error));
  }
}

function problem(kind: UserConfigProblem, detail: string): Asked {
  return { ok: false, problem: kind, detail };
}

/** Undefined for `.` and `..`, which would lead to the path of another user. */
function addressOf(template: string, userId: string): URL | undefined {
  const encoded = encodeURIComponent(userId.toWellFormed());
  if (template.includes('{user_id}')) {
    return /^\.{1,2}$/.test(userId) ? undefined : new URL(template.replaceAll('{user_id}', () => encoded));
  }
  const url = new URL(template);
  url.searchParams.set('user_id', userId);
  return url;
}

async function dropped(response: Response, found: Asked): Promise<Asked> {
  await response.body?.cancel();
  return found;
}

/** Undefined if the text is too large. The rest is not read. */
async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Asked {
  try {
    return { ok: true, value: parseJson(text) };
  } catch {
    return problem('not_json', 'it is not JSON');
  }
}

/** Returns only the code: a message may quote the address or a header. */
function reasonOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' ? code : 'the request could not be made; check url and headers';
}
