import { type Path, pathText } from '../documents/place.ts';
import type { Problem } from '../documents/problem.ts';
import { isObject, stringifyJson, valueAt } from '../model/json.ts';
import { PROVIDERS, splitModelName } from '../model/settings.ts';
import { nearest } from '../model/text.ts';

/** Other names of keys: short ones for what most programs set, and those of other MCP hosts. */
const SHORT_NAMES: readonly { readonly short: Path; readonly long: Path }[] = [
  { short: ['mcp_servers'], long: ['mcpServers'] },
  { short: ['servers'], long: ['mcpServers'] },
  { short: ['mode'], long: ['execution', 'mode'] },
  { short: ['approval'], long: ['execution', 'approval'] },
  ...['max_steps', 'max_model_calls', 'max_time', 'max_cost', 'max_tokens'].map((key) => ({
    short: ['limits', key],
    long: ['execution', key],
  })),
];

export const LIMITS = SHORT_NAMES.flatMap(({ short: [group, key] }) =>
  group === 'limits' && typeof key === 'string' ? [key] : [],
);

/** The same configuration with every short name written out. The value may still have any shape. */
export function withLongNames(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { limits: _limits, ...rest } = value;
  let long: Record<string, unknown> = isObject(value.limits) || value.limits === undefined ? rest : value;
  for (const names of SHORT_NAMES) {
    const found = valueAt(value, names.short);
    if (found === undefined) continue;
    const [first = '', second] = names.long.map(String);
    if (names.short.length === 1) {
      const { [String(names.short[0])]: _short, ...others } = long;
      long = others;
    }
    if (second === undefined) long = { ...long, [first]: long[first] ?? found };
    else {
      const group = long[first] ?? {};
      if (isObject(group)) long = { ...long, [first]: { ...group, [second]: group[second] ?? found } };
    }
  }
  if (typeof long.model === 'string')
    long = { ...long, model: splitModelName(long.model) ?? { name: long.model } };
  const { memory } = long;
  const enabled = typeof memory === 'string' ? SWITCHES[memory] : memory;
  return typeof enabled === 'boolean' ? { ...long, memory: { enabled } } : long;
}

/** YAML 1.2 reads on and off as texts. */
const SWITCHES: Readonly<Record<string, boolean>> = { on: true, off: false };

export function shortNameProblems(value: unknown): Problem[] {
  const twice = SHORT_NAMES.flatMap(({ short, long }): Problem[] => {
    if (valueAt(value, short) === undefined || valueAt(value, long) === undefined) return [];
    const message = `${pathText(long)} and ${pathText(short)} are the same key`;
    const hint =
      short.at(-1) === 'mcp_servers' || short.at(-1) === 'servers' ? SERVERS_HINT : 'keep one of them';
    return [{ path: short, at: 'key', message, hint }];
  });
  const limits = valueAt(value, ['limits']);
  if (limits === undefined || !isObject(limits)) return twice;
  const unknown = Object.keys(limits).filter((key) => !LIMITS.includes(key));
  return [
    ...twice,
    ...unknown.map(
      (key): Problem => ({
        path: ['limits', key],
        at: 'key',
        message: `unknown key ${stringifyJson(key)} in limits`,
        hint: limitHint(key),
      }),
    ),
  ];
}

function limitHint(key: string): string {
  const near = nearest(key, LIMITS);
  return near === undefined ? `known here: ${LIMITS.join(', ')}` : `did you mean "${near}"?`;
}

/** Whether it is another name of a key at the top, or the group of such names. */
export function isShortName(key: string): boolean {
  return SHORT_NAMES.some(({ short }) => short[0] === key);
}

const SERVERS_HINT = 'put all servers under one of them';

/** The problem under the name that its author wrote. */
export function asWritten(problem: Problem, value: unknown): Problem {
  const model = valueAt(value, ['model']);
  const isProvider = pathText(problem.path) === 'model.provider';
  if (isProvider && typeof model === 'string' && splitModelName(model) === undefined) {
    const message = `model ${stringifyJson(model)} names no provider`;
    const hint = `write provider/name, such as openai/gpt-5-mini; the providers are ${PROVIDERS.join(', ')}`;
    return { ...problem, path: ['model'], message, hint };
  }
  const names = SHORT_NAMES.find(
    ({ short, long }) =>
      long.every((part, index) => problem.path[index] === part) &&
      valueAt(value, long) === undefined &&
      valueAt(value, short) !== undefined,
  );
  if (names === undefined) return problem;
  const path = [...names.short, ...problem.path.slice(names.long.length)];
  const long = pathText(names.long);
  const isNamed = names.long.length > 1 && problem.message.startsWith(long);
  const message = isNamed ? pathText(names.short) + problem.message.slice(long.length) : problem.message;
  return { ...problem, path, message };
}
