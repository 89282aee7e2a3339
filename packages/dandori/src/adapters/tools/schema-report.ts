import type { JsonObject } from '../../domain/json.ts';
import type { Tool } from '../../domain/tool.ts';

export interface SchemaReport {
  readonly problem: (schema: JsonObject) => string | undefined;
  readonly log: (message: string) => void;
}

/**
 * Says which schemas are unusable, as nothing is checked against them. One tool at a time and after everything else
 * that waits: compiling a schema takes a few milliseconds, and a server may have hundreds.
 */
export function reportSchemas(tools: readonly Tool[], { problem, log }: SchemaReport): void {
  const [tool, ...others] = tools;
  if (tool === undefined) return;
  setImmediate(() => {
    for (const [kind, schema] of Object.entries({ input: tool.inputSchema, output: tool.outputSchema })) {
      const found = schema === undefined ? undefined : problem(schema);
      if (found !== undefined)
        log(`the ${kind} schema of ${tool.name} cannot be used and is ignored: ${found}`);
    }
    reportSchemas(others, { problem, log });
  });
}
