import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { isObject } from '../../src/model/json.ts';

const PACKAGES = join(import.meta.dirname, '../../..');

/**
 * Switches whose `default` is a case of its own, because not every value is known: it comes from another program,
 * another library or a text. Every other one ends in `assertNever` or `satisfies never`, so that `tsc` names it when a
 * union grows.
 */
const OPEN: Readonly<Record<string, number>> = {
  'dandori/src/client/client.ts': 1,
  'dandori/src/client/conversations.ts': 1,
  'dandori/src/mind/language/wire/provider.ts': 1,
  'dandori/src/mind/language/wire/responses.ts': 1,
  'dandori/src/model/json.ts': 2,
  'dandori/src/plan/query.ts': 2,
  'dandori/src/plan/schema/expression.ts': 1,
  'dandori/src/plan/schema/path.ts': 1,
  'dandori/src/run/actions/own-operations.ts': 1,
  // Frozen, as version 1 had it.
  'dandori/src/run/state/version-1/upgrade.ts': 2,
  'dandori/src/tools/mcp/errors.ts': 1,
  'dandori/src/tools/schema/issue.ts': 1,
  'dandori/src/tools/schema/plain-fit.ts': 1,
  'servers/src/sqlite/read-only-database.ts': 1,
};

it('a new event, status or kind is dropped by no switch: a silent `default` is on the list', () => {
  const found: Record<string, number> = {};
  for (const file of globSync('*/src/**/*.{ts,tsx}', { cwd: PACKAGES })) {
    const text = readFileSync(join(PACKAGES, file), 'utf8');
    if (!/\bdefault:/.test(text)) continue;
    const count = silentDefaults(parseSync(file, text).program, text);
    if (count > 0) found[file] = count;
  }
  expect(found).toEqual(OPEN);
});

function silentDefaults(node: unknown, text: string): number {
  if (Array.isArray(node)) return node.reduce((sum: number, one) => sum + silentDefaults(one, text), 0);
  if (!isObject(node)) return 0;
  const isSilent =
    node.type === 'SwitchCase' &&
    node.test === null &&
    !/assertNever|satisfies never/.test(text.slice(Number(node.start), Number(node.end)));
  return silentDefaults(Object.values(node), text) + (isSilent ? 1 : 0);
}
