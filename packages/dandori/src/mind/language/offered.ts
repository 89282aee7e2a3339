import { isOwnTool, type OwnToolName } from '../../core/own-tools.ts';
import type { RunState } from '../../core/state.ts';
import type { Json } from '../../domain/json.ts';
import type { Mode } from '../../domain/mode.ts';
import type { Offer } from '../../domain/offer.ts';
import type { Tool } from '../../domain/tool.ts';
import type { Thought } from '../../ports/mind.ts';
import { notate } from './schema-notation.ts';

type Asked = Pick<Thought, 'state' | 'tools' | 'offer'>;

/** The tools of the instructions, the same for the whole run unless one of them goes away. */
export interface Described {
  /** By name. */
  readonly tools: readonly Tool[];
  /** Tools of each server, where not all of them are described. */
  readonly servers: Readonly<Record<string, number>> | undefined;
}

/** Without an offer, as in old journals, every tool is described. */
export function describedTools({ state, tools, offer }: Asked): Described {
  const first = state.offered?.first ?? offer;
  const names = first === undefined ? undefined : new Set(first.tools);
  const isShown = (tool: Tool) =>
    isOwnTool(tool)
      ? isOffered(tool.name as OwnToolName, state.settings.mode, first)
      : (names?.has(tool.name) ?? true);
  return {
    tools: [...tools.values()].filter(isShown).sort((one, other) => (one.name < other.name ? -1 : 1)),
    servers: first?.servers,
  };
}

/** Undefined where any name may be called: one that was found, or that has come since. */
export function namedTools(thought: Omit<Thought, 'signal'>): readonly Tool[] | undefined {
  const { state, offer } = thought;
  const { tools, servers } = describedTools(thought);
  const isSame = [...state.decisions.map((decision) => decision.offer), offer].every(
    (one) => one === undefined || one === (state.offered?.first ?? offer),
  );
  return servers === undefined && isSame ? tools : undefined;
}

/** All that the mind knows how to call: described, then what was announced or found by a search since, in that order. */
export function knownTools(thought: Asked): readonly Tool[] {
  const { state, tools, offer } = thought;
  const names = new Set([
    ...describedTools(thought).tools.map(({ name }) => name),
    ...(state.offered?.names ?? []),
    ...(offer?.tools ?? []),
    ...foundTools(state),
  ]);
  return [...names].flatMap((name) => tools.get(name) ?? []);
}

function foundTools({ tasks, offered }: RunState): string[] {
  if (offered?.servers === undefined) return [];
  return [...tasks.values()].flatMap(({ task, result }) => {
    if (task.operation !== 'tool.search' || result === undefined || !('value' in result)) return [];
    const { value } = result;
    const found = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.tools : [];
    return Array.isArray(found) ? found.flatMap((tool) => nameIn(tool)) : [];
  });
}

function nameIn(tool: Json): string[] {
  const isObject = typeof tool === 'object' && tool !== null && !Array.isArray(tool);
  return isObject && typeof tool.name === 'string' ? [tool.name] : [];
}

/** What is told of the tools in the conversation, where something has changed since the instructions. */
export function announce(offer: Offer | undefined, { state, tools, offer: asked }: Asked): string[] {
  if (offer === undefined || offer === (state.offered?.first ?? asked)) return [];
  const come = offer.tools
    .flatMap((name) => tools.get(name) ?? [])
    .map((tool) => describeTool(tool, state.settings.mode));
  return [
    ...(come.length > 0 ? [`These tools are available from now on:\n${come.join('\n')}`] : []),
    ...(offer.gone !== undefined
      ? [`These tools are not available any more: ${offer.gone.join(', ')}.`]
      : []),
    ...(offer.servers !== undefined
      ? [
          `Tools by server now: ${countsText(offer.servers)}. Find those that are not described with tool.search.`,
        ]
      : []),
  ];
}

/** Behind the tools that are described, where there are more. */
export function tellServers(servers: Described['servers']): string[] {
  if (servers === undefined) return [];
  return [
    `Only the tools that seem to fit the goal are described. There are more; find them with tool.search and then call them by name. Tools by server: ${countsText(servers)}.`,
  ];
}

function countsText(servers: Readonly<Record<string, number>>): string {
  return Object.entries(servers)
    .map(([server, count]) => `${server} (${count})`)
    .join(', ');
}

/** What a tool returns matters before it has returned only to who may refer to it. */
export function describeTool(tool: Tool, mode: Mode): string {
  const { name, description, effect, inputSchema, outputSchema } = tool;
  const lines = [
    `- ${name} [${effect}]: ${description.replaceAll(/\s+/g, ' ').trim()}`,
    `  input: ${notate(inputSchema, 'input')}`,
  ];
  if (outputSchema !== undefined && hasRefs(mode)) lines.push(`  output: ${notate(outputSchema, 'output')}`);
  return lines.join('\n');
}

export function hasRefs(mode: Mode): boolean {
  return mode === 'auto' || mode === 'planned' || mode === 'hierarchical';
}

/** `result.read` always, so that the instructions need not change when a result is large; a search where it can find. */
function isOffered(name: OwnToolName, mode: Mode, first: Offer | undefined): boolean {
  if (name === 'plan.get') return mode === 'hierarchical';
  return name !== 'tool.search' || first?.servers !== undefined;
}
