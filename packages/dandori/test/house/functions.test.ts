import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, it } from 'vitest';
import { isObject } from '../../src/model/json.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** The most lines of a function, with the functions in it. */
const MOST = 100;

const LIST = 'a flat list: one entry per event, method, part or pattern';
const STATE = 'small functions over a state that they share, and nothing else';
const OPEN = 'does several things: to be parted';

/** Longer functions, and why. This list only gets shorter. */
const LONG: Readonly<Record<string, string>> = {
  'app/dandori.ts assemble': LIST,
  'app/library.ts openDandori': LIST,
  'cli/remote/open-remote.ts openRemote': LIST,
  'mind/built-in/skills/arithmetic/word-problem.ts readAmounts': LIST,
  'run/state/apply.ts applyToSlices': LIST,
  'server/metrics.ts createMetrics': LIST,
  'server/open-parts.ts openServerParts': LIST,
  'cli/chat/terminal.ts openTerminal': STATE,
  'conversation/tell-run.ts othersOf': STATE,
  'driver/inner-calls.ts createInnerCalls': STATE,
  'history/history-files.ts createHistoryFiles': STATE,
  'server/event-streams.ts createEventStreams': STATE,
  'store/dispatcher/local.ts createLocalWork': STATE,
  'store/dispatcher/places.ts createPlaces': STATE,
  'store/files/journal.ts createJsonlJournalOf': STATE,
  'store/postgres/appends.ts createAppends': STATE,
  'store/postgres/changes.ts createChanges': STATE,
  'store/postgres/claims.ts createClaims': STATE,
  'store/postgres/dispatcher.ts createPostgresWork': STATE,
  'store/postgres/journal.ts createPostgresJournal': STATE,
  'telemetry/export.ts createExporter': STATE,
  'tools/mcp/stdio.ts createStdioTransport': STATE,
  'driver/calls/calls.ts createCalls': OPEN,
  'driver/prefetch.ts createReadAhead': OPEN,
};

it('a function fits on two screens, or the list says why not', () => {
  const found = globSync('**/*.ts', { cwd: SOURCE }).flatMap((file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    if (text.split('\n').length <= MOST) return [];
    return longFunctions(parseSync(file, text).program, text, '').map((name) => `${file} ${name}`);
  });
  expect(found.sort()).toEqual(Object.keys(LONG).sort());
});

/** The outermost functions that are too long. `name` is that of what the node is assigned to. */
function longFunctions(node: unknown, text: string, name: string): string[] {
  if (Array.isArray(node)) return node.flatMap((one) => longFunctions(one, text, name));
  if (!isObject(node)) return [];
  const { id, key } = node as { id?: unknown; key?: unknown };
  const own = [id, key].find((one) => isObject(one) && typeof one.name === 'string');
  const called = isObject(own) ? String(own.name) : name;
  const isFunction = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(
    String(node.type),
  );
  const lines = text.slice(Number(node.start), Number(node.end)).split('\n').length;
  if (isFunction && lines > MOST) return [called];
  return Object.values(node).flatMap((one) => longFunctions(one, text, called));
}
