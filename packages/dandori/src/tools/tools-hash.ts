import { createHash } from 'node:crypto';
import { canonicalJson, normalise } from '../model/json.ts';
import { isOwnTool } from '../model/own-tools.ts';
import type { Tool } from '../model/tool.ts';
import type { RunState } from '../run/state/state.ts';

const LENGTH = 32;

const hashes = new WeakMap<ReadonlyMap<string, Tool>, string>();

/**
 * Identifies what the mind is told about these tools by sources that are not trusted. A server may change its
 * descriptions at any time.
 */
export function hashOfTools(tools: ReadonlyMap<string, Tool>): string {
  const before = hashes.get(tools);
  if (before !== undefined) return before;
  const digest = hashOfDescriptions([...tools.values()].filter((tool) => !tool.trusted && !isOwnTool(tool)));
  hashes.set(tools, digest);
  return digest;
}

/** Whether the tools that are not trusted are described differently than when the run started. */
export function hasOtherTools(
  { toolsAtStart }: Pick<RunState, 'toolsAtStart'>,
  tools: ReadonlyMap<string, Tool>,
): boolean {
  return toolsAtStart !== undefined && toolsAtStart !== hashOfTools(tools);
}

/** Identifies what a server says about its tools, in any order. */
export function hashOfDescriptions(tools: readonly Tool[]): string {
  const told = tools
    .map(({ name, title, description, inputSchema, outputSchema }) =>
      canonicalJson(normalise({ name, title, description, inputSchema, outputSchema })),
    )
    .sort();
  return createHash('sha256').update(told.join('\n')).digest('hex').slice(0, LENGTH);
}
