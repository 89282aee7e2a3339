import type { Offer } from '../model/decision.ts';
import { isOwnTool } from '../model/own-tools.ts';
import { contextOf } from '../model/settings.ts';
import type { Tool } from '../model/tool.ts';
import type { Offered } from '../run/state/decisions.ts';
import type { RunState } from '../run/state/state.ts';
import { chooseTools } from '../search/tools.ts';

/** The number of tools to describe when a new server is announced. */
const MOST_ANNOUNCED = 10;

/**
 * What to tell the mind about the tools with its next decision; undefined if there is nothing new. It is
 * journaled, so that later prompts begin with the same words, even in another process.
 */
export function nextOffer(state: RunState, tools: ReadonlyMap<string, Tool>): Offer | undefined {
  if (state.mind === 'built-in' || state.settings.mode === 'direct') return undefined;
  const theirs = withoutOwn(tools);
  return state.offered === undefined ? firstOffer(state, theirs) : changes(state, state.offered, theirs);
}

const known = new WeakMap<ReadonlyMap<string, Tool>, ReadonlyMap<string, Tool>>();

/** The tools rarely change, and every decision asks. */
function withoutOwn(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  const theirs = known.get(tools) ?? new Map([...tools].filter(([, tool]) => !isOwnTool(tool)));
  known.set(tools, theirs);
  return theirs;
}

function firstOffer({ goal, settings }: RunState, tools: ReadonlyMap<string, Tool>): Offer | undefined {
  const limit = contextOf(settings).tools;
  if (tools.size === 0) return undefined;
  if (tools.size <= limit) return { tools: [...tools.keys()].sort() };
  const chosen = chooseTools(goal, tools, { limit, order: settings.order });
  return { tools: chosen, servers: Object.fromEntries(countsOf(tools)) };
}

function changes(state: RunState, offered: Offered, tools: ReadonlyMap<string, Tool>): Offer | undefined {
  const gone = [...offered.names].filter((name) => !tools.has(name));
  const news =
    offered.servers === undefined
      ? newTools(state, offered, tools)
      : newServers(state, offered.servers, tools);
  if (news === undefined && gone.length === 0) return undefined;
  return { tools: [], ...news, ...(gone.length > 0 && { gone }) };
}

function newTools(
  { settings }: RunState,
  { names }: Offered,
  tools: ReadonlyMap<string, Tool>,
): Offer | undefined {
  const added = [...tools.keys()].filter((name) => !names.has(name)).sort();
  if (added.length === 0) return undefined;
  const isRoom = tools.size <= contextOf(settings).tools;
  return isRoom ? { tools: added } : { tools: [], servers: Object.fromEntries(countsOf(tools)) };
}

/** For a server that is new to the mind, the tools that fit the goal are described at once. */
function newServers(
  { goal, settings }: RunState,
  known: ReadonlyMap<string, number>,
  tools: ReadonlyMap<string, Tool>,
): Offer | undefined {
  const counts = countsOf(tools);
  const names = new Set([...known.keys(), ...counts.keys()]);
  const changed = [...names]
    .filter((server) => (counts.get(server) ?? 0) !== (known.get(server) ?? 0))
    .sort();
  if (changed.length === 0) return undefined;
  const fresh = new Map([...tools].filter(([, { server }]) => !known.has(server)));
  return {
    tools: chooseTools(goal, fresh, { limit: MOST_ANNOUNCED, order: settings.order }),
    servers: Object.fromEntries(changed.map((server) => [server, counts.get(server) ?? 0])),
  };
}

function countsOf(tools: ReadonlyMap<string, Tool>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { server } of tools.values()) counts.set(server, (counts.get(server) ?? 0) + 1);
  return new Map([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}
