import * as z from 'zod';
import { redact } from '../../../core/redact.ts';
import type { Effect } from '../../../domain/effect.ts';
import { type JsonObject, jsonObject } from '../../../domain/json.ts';
import { stringifyJson } from '../../../domain/json-text.ts';
import type { Tool } from '../../../domain/tool.ts';
import type { McpServerConfig } from './config.ts';

/** Only what we use, and loosely: the rest of a tool's description may be as odd as it likes. */
export const listedTool = z.object({
  // A line break in it would begin a line of its own in a prompt.
  name: z.string().regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u),
  title: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  inputSchema: jsonObject.catch({ type: 'object' }),
  outputSchema: jsonObject.optional().catch(undefined),
  annotations: z
    .object({
      title: z.string().optional().catch(undefined),
      readOnlyHint: z.boolean().optional().catch(undefined),
      destructiveHint: z.boolean().optional().catch(undefined),
      idempotentHint: z.boolean().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
export type ListedTool = z.infer<typeof listedTool>;

export interface Naming {
  readonly server: string;
  readonly config: McpServerConfig;
  /** What a tool says of itself goes into every prompt, and some say with which password they are connected. */
  readonly secrets: readonly string[];
}

/** A tool that has not changed stays the same object, so that its compiled schemas are found again. */
export function toTools(
  listed: readonly ListedTool[],
  naming: Naming,
  before: readonly Tool[],
): readonly Tool[] {
  const known = new Map(before.map((tool) => [stringifyJson(tool), tool]));
  const tools = listed
    .map((tool) => toTool(tool, naming))
    .map((tool) => known.get(stringifyJson(tool)) ?? tool);
  const isSame = tools.length === before.length && tools.every((tool, index) => tool === before[index]);
  return isSame ? before : tools;
}

function toTool(listed: ListedTool, { server, config, secrets }: Naming): Tool {
  const name = `${server}.${listed.name}`;
  const title = listed.title ?? listed.annotations?.title;
  const said = {
    ...(title !== undefined && { title }),
    description: listed.description ?? '',
    inputSchema: listed.inputSchema satisfies JsonObject,
    ...(listed.outputSchema !== undefined && { outputSchema: listed.outputSchema }),
  };
  return {
    name,
    server,
    ...redact(said, secrets),
    effect: config.effects?.[listed.name] ?? effectOf(listed.annotations),
    trusted: config.trusted ?? false,
  };
}

/** MCP reads no hint as destructive; we ask before destructive calls, and would then ask about nearly everything. */
function effectOf(annotations: ListedTool['annotations']): Effect {
  if (annotations?.readOnlyHint === true) return 'read';
  if (annotations?.destructiveHint === true) return 'destructive';
  return annotations?.idempotentHint === true ? 'idempotent' : 'write';
}
