import type { Service } from '../adapters/tools/service.ts';
import type { Config } from '../config/config.ts';
import type { Parts } from '../engine/parts.ts';
import type { Toolbox } from '../ports/toolbox.ts';

interface ToolboxOptions {
  readonly services?: readonly Service[];
  readonly toolbox?: Toolbox;
  readonly tools?: boolean;
}

export async function openToolbox(
  config: Config,
  options: ToolboxOptions,
  schemaCheck: Parts['check'],
): Promise<Toolbox> {
  if (options.tools === false) return EMPTY_TOOLBOX;
  if (options.toolbox !== undefined) return options.toolbox;
  const { loadServices } = await import('../adapters/tools/service-module.ts');
  const { createToolbox } = await import('../adapters/tools/toolbox.ts');
  const { mcpServers, effects, secrets } = config;
  const services = [...(await loadServices(config.services)), ...(options.services ?? [])];
  return createToolbox({ mcpServers, services, effects, schemaCheck, secrets });
}

const EMPTY_TOOLBOX: Toolbox = {
  tools: () => new Map(),
  missing: () => [],
  call: async ({ operation }) => ({
    kind: 'failed',
    failure: { kind: 'unavailable', message: `${operation} is not connected.` },
  }),
  close: async () => {},
};
