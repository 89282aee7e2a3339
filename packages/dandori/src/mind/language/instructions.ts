import type { Mode } from '../../domain/mode.ts';
import type { OrderRule, Settings } from '../../domain/settings.ts';
import type { Tool } from '../../domain/tool.ts';
import type { Thought } from '../../ports/mind.ts';
import type { MissingServer } from '../../ports/toolbox.ts';
import { readPrompt } from '../prompts/read.ts';

type Planning = NonNullable<Settings['planning']>;

/** The part of the prompt that is the same for every call of a run, so that providers find it in their caches. */
export function writeInstructions({ state, tools, missing }: Thought, custom?: string): string {
  const { mode, order, planning } = state.settings;
  const parts = [
    readPrompt('system'),
    ...(hasRefs(mode) ? [readPrompt('refs')] : []),
    ...(hasRefs(mode) ? [readPrompt('planning')] : []),
    readPrompt(`mode-${mode}`),
    planning === undefined || mode === 'direct' ? '' : strategyPart(planning, mode),
  ];
  if (mode !== 'direct') parts.push(toolsPart(tools), missingPart(missing), orderPart(order));
  if (custom !== undefined && custom.trim() !== '')
    parts.push(`# Instructions from the user\n\n${custom.trim()}`);
  return parts.filter((part) => part !== '').join('\n\n');
}

function hasRefs(mode: Mode): boolean {
  return mode === 'auto' || mode === 'planned' || mode === 'hierarchical';
}

function strategyPart({ strategy, decomposition }: Planning, mode: Mode): string {
  const divides = mode === 'hierarchical' || mode === 'auto';
  return [
    readPrompt(`strategy-${strategy}`),
    ...(divides ? [readPrompt(`decomposition-${decomposition}`)] : []),
  ].join('\n');
}

function toolsPart(tools: ReadonlyMap<string, Tool>): string {
  if (tools.size === 0) return '# Tools\n\nThere are none.';
  const sorted = [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return `# Tools\n\nIn brackets: what a call does to the world.\n\n${sorted.map(toolPart).join('\n')}`;
}

function toolPart({ name, description, effect, inputSchema, outputSchema }: Tool): string {
  const lines = [
    `- ${name} [${effect}]: ${description.replaceAll(/\s+/g, ' ').trim()}`,
    `  input: ${compact(inputSchema)}`,
  ];
  if (outputSchema !== undefined) lines.push(`  output: ${compact(outputSchema)}`);
  return lines.join('\n');
}

function compact({ $schema: _, ...schema }: Tool['inputSchema']): string {
  return JSON.stringify(schema);
}

function missingPart(missing: readonly MissingServer[]): string {
  if (missing.length === 0) return '';
  const lines = missing.map(({ server, reason }) => `- ${server}: ${reason}`).sort();
  return `These servers are configured and not available now:\n${lines.join('\n')}`;
}

function orderPart(order: readonly OrderRule[]): string {
  if (order.length === 0) return '';
  const lines = order.map(
    ({ before, after }) => `- ${before} must have succeeded before ${after} is called.`,
  );
  return `# Order of tools\n\nThese rules are enforced:\n${lines.join('\n')}`;
}
