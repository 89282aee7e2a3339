import * as z from 'zod';
import { PROVIDERS } from '../../model/settings.ts';
import { configShape } from '../file-shape.ts';
import { LIMITS } from '../short-names.ts';

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly [key: string]: unknown;
}

/** The JSON Schema of `dandori.yaml` for editors, with the short names of keys. `meanings` are texts by key. */
export function configSchema(meanings: ReadonlyMap<string, string> = new Map()): Node {
  const { $schema, ...shape } = z.toJSONSchema(configShape, {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
  }) as Node;
  const { properties = {}, ...rest } = described(shape, '', meanings);
  const { model = {}, execution = {}, mcpServers = {}, memory = {} } = properties;
  const limits = Object.fromEntries(LIMITS.map((key) => [key, execution.properties?.[key] ?? {}]));
  const name = `^((${PROVIDERS.join('|')})/)?.+$`;
  return {
    $schema,
    title: 'dandori.yaml',
    ...rest,
    properties: {
      ...properties,
      model: {
        description: model.description ?? 'The model that decides: provider/name, or a group of keys',
        anyOf: [model, { type: 'string', pattern: name, examples: ['openai/gpt-5-mini', 'ollama/qwen3'] }],
      },
      memory: {
        description: memory.description ?? 'Notes that outlive runs: on, off, or a group of keys',
        anyOf: [memory, { enum: [true, false, 'on', 'off'] }],
      },
      servers: { ...mcpServers, description: 'The same as mcpServers' },
      mcp_servers: { ...mcpServers, description: 'The same as mcpServers' },
      mode: { ...execution.properties?.mode, description: 'The same as execution.mode' },
      approval: { ...execution.properties?.approval, description: 'The same as execution.approval' },
      limits: {
        description: 'The same keys as in execution',
        type: 'object',
        properties: limits,
        additionalProperties: false,
      },
    },
  };
}

/** A default that a section has for its own keys is noise in an editor, and so is the bound of safe integers. */
function described(node: Node, path: string, meanings: ReadonlyMap<string, string>): Node {
  const { default: _default, properties, additionalProperties, ...rest } = node;
  const meaning = meanings.get(path);
  const inner = (key: string) => (path === '' ? key : `${path}.${key}`);
  const isPlain = properties === undefined && node.default !== undefined;
  const { maximum, ...kept } = rest as Node & { maximum?: unknown };
  return {
    ...(maximum === Number.MAX_SAFE_INTEGER ? kept : rest),
    ...(meaning !== undefined && { description: meaning }),
    ...(isPlain && { default: node.default }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, child]) => [key, described(child, inner(key), meanings)]),
      ),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object'
          ? described(additionalProperties, inner('<name>'), meanings)
          : additionalProperties,
    }),
  };
}
