import type { Problem } from '../documents/problem.ts';
import { isObject, valueAt } from '../model/json.ts';
import type { Settings } from '../model/settings.ts';
import type { Config } from './config.ts';
import type { ConfigFile } from './file-shape.ts';

/** `letters.*` means all tools of a service, because a service has no other place in the configuration. */
const ALL_OF = /\.\*$/;

/** The approvals by server, service or tool that differ from `execution.approval`. */
export function resolveApprovals(
  effects: ConfigFile['effects'],
  servers: Config['mcpServers'],
): Pick<Settings, 'approvals'> {
  const named = [
    ...Object.entries(servers).map(([name, { approval }]) => ({ name, approval })),
    ...Object.entries(effects).map(([name, policy]) => ({
      name: name.replace(ALL_OF, ''),
      approval: typeof policy === 'string' ? undefined : policy.approval,
    })),
  ];
  const entries = named.flatMap(({ name, approval }) => (approval === undefined ? [] : [[name, approval]]));
  return entries.length > 0 ? { approvals: Object.fromEntries(entries) } : {};
}

/** Checks what the schema cannot express. The value may still have any shape. */
export function approvalProblems(config: unknown): Problem[] {
  const effects = valueAt(config, ['effects']);
  if (!isObject(effects)) return [];
  return Object.entries(effects).flatMap(([name, policy]) =>
    ALL_OF.test(name) ? wholeProblems(name, policy, config) : [],
  );
}

function wholeProblems(name: string, policy: unknown, config: unknown): Problem[] {
  const path = ['effects', name];
  const owner = name.replace(ALL_OF, '');
  if (isObject(valueAt(config, ['mcpServers', owner]))) {
    const message = `effects: ${owner} is a server; its approval is set under mcpServers`;
    return [{ path, at: 'key', message, hint: `write mcpServers.${owner}.approval` }];
  }
  const keys = isObject(policy) ? Object.keys(policy) : [];
  if (keys.length === 1 && keys[0] === 'approval') return [];
  const message = `effects: for all tools of ${owner}, only the approval can be set`;
  return [
    { path, at: 'key', message, hint: 'write { approval: writes }, and everything else for each tool' },
  ];
}
