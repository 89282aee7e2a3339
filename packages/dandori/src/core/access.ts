import type { Access } from '../domain/access.ts';
import type { JsonObject } from '../domain/json.ts';
import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';
import { refsIn } from './inject.ts';

const PLACEHOLDER = /\{([^{}]+)\}/g;

/** What a call of the task touches, whatever its arguments: a resource still has its placeholders. */
export function accessOf(task: Task | undefined, id: string, tools: ReadonlyMap<string, Tool>): Access {
  const tool = tools.get(task?.operation ?? '');
  if (task === undefined || tool === undefined) return { id, effect: 'write', server: '' };
  const { effect, server, resource, independent, name } = tool;
  return {
    id,
    effect,
    server,
    ...(resource !== undefined && { resource }),
    ...(independent === true && { independent: name }),
  };
}

/** With these arguments. Where it depends on a value that is not there yet, it may be anything of the server. */
export function filledIn(access: Access, args: JsonObject): Access {
  if (!isOpen(access)) return access;
  let isKnown = true;
  const resource = access.resource?.replaceAll(PLACEHOLDER, (_, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined || refsIn(value).length > 0) isKnown = false;
    return typeof value === 'string' ? value : JSON.stringify(value ?? null);
  });
  const { resource: _, ...whole } = access;
  return isKnown && resource !== undefined ? { ...whole, resource } : whole;
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
