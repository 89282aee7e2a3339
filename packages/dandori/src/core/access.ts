import type { Access } from '../domain/access.ts';
import { isWorse } from '../domain/effect.ts';
import type { JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { refsIn } from './inject.ts';

const PLACEHOLDER = /\{([^{}]+)\}/g;

type Tools = ReadonlyMap<string, Tool>;

/**
 * What a call of the task touches, whatever its arguments: a resource still has its placeholders. A method that calls
 * other tools touches what they touch; of each server there is one access.
 */
export function accessesOf({ id, operation }: Pick<Task, 'id' | 'operation'>, tools: Tools): Access[] {
  const tool = tools.get(operation);
  if (tool === undefined) return [{ id, effect: 'write', server: '' }];
  const { effect, server, resource, independent, name } = tool;
  const own: Access = {
    id,
    effect,
    server,
    ...(resource !== undefined && { resource }),
    ...(independent === true && { independent: name }),
  };
  return tool.calls === undefined ? [own] : byServer([own, ...calledBy(tool, id, tools)]);
}

/** With which arguments it calls nobody knows, so it may be anything of their servers. */
function calledBy(tool: Tool, id: string, tools: Tools): Access[] {
  const seen = new Set(tool.calls);
  // What is called adds its own calls at the end, and is gone over too.
  for (const name of seen) for (const next of tools.get(name)?.calls ?? []) seen.add(next);
  return [...seen].map((name) => {
    const { effect = tool.effect, server = name.split('.')[0] ?? name } = tools.get(name) ?? {};
    return { id, effect, server };
  });
}

function byServer(accesses: readonly Access[]): Access[] {
  const found = new Map<string, Access>();
  for (const access of accesses) {
    const { id, effect, server } = access;
    const known = found.get(server);
    if (known === undefined) found.set(server, access);
    else found.set(server, { id, server, effect: isWorse(effect, known.effect) ? effect : known.effect });
  }
  return [...found.values()];
}

/** With these arguments. Where it depends on a value that is not there yet, it may be anything of the server. */
export function filledIn(access: Access, args: JsonObject): Access {
  if (!isOpen(access)) return access;
  let isKnown = true;
  const resource = access.resource?.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || refsIn(value).length > 0) isKnown = false;
    return typeof value === 'string' ? asPart(value) : stringifyJson(value ?? null);
  });
  const { resource: _, ...whole } = access;
  return isKnown && resource !== undefined ? { ...whole, resource } : whole;
}

/** One name for one path: `./a//b/../c` is `a/c`. Nothing else is changed by it, and two names too few only wait. */
function asPart(text: string): string {
  if (!/[\\/]/.test(text)) return text;
  const parts: string[] = [];
  for (const part of text.split(/[\\/]+/)) {
    const isUp = part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '';
    if (isUp) parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join('/');
}

/** Whether what it touches depends on arguments. */
export function isOpen({ resource }: Access): boolean {
  return resource?.includes('{') === true;
}

/** Whether the order of two accesses matters: H1 of `hazards`, for one pair. */
export function disturb(a: Access, b: Access): boolean {
  if (a.server !== b.server || (a.effect === 'read' && b.effect === 'read')) return false;
  const isSame = a.resource === b.resource;
  if (!isSame && a.resource !== undefined && b.resource !== undefined) return false;
  const areIndependent = a.independent !== undefined && a.independent === b.independent;
  return !(isSame && areIndependent && a.effect !== 'read' && b.effect !== 'read');
}
