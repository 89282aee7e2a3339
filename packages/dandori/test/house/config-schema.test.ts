import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configShape } from '../../src/config/file-shape.ts';
import { CONFIG_TEMPLATE } from '../../src/config/project/index.ts';
import { configSchema } from '../../src/config/project/json-schema.ts';
import { vocabularyOf } from '../../src/documents/shape.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const FILE = join(import.meta.dirname, '../../dandori.schema.json');

/** What the reference says about each key, without its links. */
function meanings(): Map<string, string> {
  const text = readFileSync(join(ROOT, 'docs/reference.md'), 'utf8');
  const rows = text.matchAll(/^\| `([a-zA-Z_.<>]+)` \|(?: [^|]* \|){1,2} ([^|]+) \|$/gm);
  return new Map(
    [...rows].map(([, key = '', meaning = '']) => [key, meaning.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')]),
  );
}

const schema = configSchema(meanings());
const validate = new Ajv2020({ strict: false }).compile(schema);

describe('dandori.schema.json', () => {
  if (process.env.WRITE_CONFIG_SCHEMA) writeFileSync(FILE, `${JSON.stringify(schema, null, 2)}\n`);

  it('is what the code checks (WRITE_CONFIG_SCHEMA=1 writes it, with the words of the reference; biome formats it)', () => {
    // A word that changes in the reference need not change here at once.
    const plain = (value: unknown) =>
      JSON.parse(
        JSON.stringify(value, (key, one) =>
          key === 'description' && typeof one === 'string' ? undefined : one,
        ),
      );
    expect(plain(JSON.parse(readFileSync(FILE, 'utf8')))).toEqual(plain(schema));
  });

  it('has every key of every group, and most of them with their meaning', () => {
    type Node = {
      properties?: Record<string, Node>;
      additionalProperties?: Node;
      anyOf?: Node[];
      items?: Node;
      description?: string;
    };
    const at = (node: Node | undefined, part: string): Node | undefined => {
      const options = [node, ...(node?.anyOf ?? []), node?.items, ...(node?.items?.anyOf ?? [])];
      return options
        .map((one) => (part === '<name>' ? one?.additionalProperties : one?.properties?.[part]))
        .find((one) => typeof one === 'object');
    };
    const missing: string[] = [];
    let told = 0;
    let count = 0;
    for (const [group, keys] of vocabularyOf(configShape))
      for (const key of keys) {
        const path = group === '' ? [key] : [...group.split('.'), key];
        const found = path.reduce<Node | undefined>(at, schema as Node);
        count++;
        if (found?.description !== undefined) told++;
        if (found === undefined) missing.push(path.join('.'));
      }
    expect(missing).toEqual([]);
    expect(told / count).toBeGreaterThan(0.6);
  });

  const examples = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => /(^|\/)dandori\.ya?ml$|^config\/.*\.ya?ml$/.test(name) && !name.includes('node_modules'),
  );
  it.each(examples)('accepts the shipped example %s', (name) => {
    expect(
      validate(parse(readFileSync(join(ROOT, 'examples', name), 'utf8'))),
      JSON.stringify(validate.errors),
    ).toBe(true);
  });

  it('accepts the file that init writes', () => {
    expect(validate(parse(CONFIG_TEMPLATE)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ['model: openai/gpt-5-mini\nmode: planned\nlimits: { max_steps: 3, max_time: 5m }', true],
    ['servers: { a: { command: x, timeout: 30 } }', true],
    ['limits: { max_stepz: 3 }', false],
    ['execution: { max_stepz: 3 }', false],
    ['execution: { max_time: soon }', false],
    ['mcpServers: { "1a": { command: x } }', false],
    ['mcpServers: { a: { comand: x } }', false],
    ['model: { provider: nobody, name: x }', false],
  ])('judges %j as an editor would', (yaml, isValid) => {
    expect(validate(parse(yaml))).toBe(isValid);
  });
});
