import { z } from '@hono/zod-openapi';
import { json, jsonObject } from '../domain/json.ts';

/**
 * A type of ours under a name in the description of the API. What leaves the server is not checked against it: the types
 * hold that, and a test asks for everything and looks whether it fits.
 */
export function described<T>(name: string, shape: z.ZodType, description?: string) {
  return z
    .custom<T>()
    .openapi(name, { type: 'object', ...schemaOf(shape), ...(description !== undefined && { description }) });
}

/** In JSON Schema, as OpenAPI 3.1 has it. */
export function schemaOf(shape: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === jsonObject) jsonSchema.type = 'object';
      if (zodSchema === json) jsonSchema.description = 'any JSON';
    },
  });
  return schema;
}
