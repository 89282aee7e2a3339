import { z } from '@hono/zod-openapi';
import type { GivenAttachment } from '../app/index.ts';
import { json, jsonObject } from '../model/json.ts';
import type { Language } from '../model/text.ts';
import { listAll } from '../store/index.ts';
import { type attachments, doneSchema, problemSchema } from './api.ts';

/** Shared by the route descriptions. */
export const runParams = z.object({
  run: z.string().openapi({ param: { name: 'run', in: 'path' }, example: '20261115-221530123-k3f9' }),
});

export const conversationParams = z.object({
  conversation: z
    .string()
    .openapi({ param: { name: 'conversation', in: 'path' }, example: '20261115-221530123-k3f9' }),
});

export const idempotency = z.object({ 'idempotency-key': z.string().min(1).max(255).optional() });

/** The schema that routes and tests parse with, named in OpenAPI if a name is given. */
function described<T extends z.ZodType>(schema: T, name?: string): T {
  // A copy, because a schema made before `@hono/zod-openapi` was loaded has no `openapi` method.
  const copy = schema.clone();
  const shown = { type: 'object' as const, ...openApiSchema(schema) };
  return name === undefined ? copy.openapi(shown) : copy.openapi(name, shown);
}

/** The JSON response of a route. A test calls every route and parses the response with this schema. */
export function jsonContent<T extends z.ZodType>(description: string, schema: T, name?: string) {
  return { description, content: { 'application/json': { schema: described(schema, name) } } };
}

/** A response of JSON Lines. The schema is that of one line. */
export function linesContent<T extends z.ZodType>(description: string, schema: T, name: string) {
  return { description, content: { 'text/jsonl': { schema: described(schema, name) } } };
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true, content: { 'application/json': { schema: described(schema) } } };
}

export const done = jsonContent('The request is stored', doneSchema, 'Done');

export const problems = {
  default: {
    description: 'The error, with its code and how to fix it',
    content: { 'application/problem+json': { schema: described(problemSchema, 'Problem') } },
  },
};

/** The client's first choice in `Accept-Language`, if Dandori speaks it. */
export function acceptedLanguage(accepted = ''): Language | undefined {
  return (['en', 'ja'] as const).find((language) => new RegExp(`^\\s*${language}\\b`, 'i').test(accepted));
}

/** The JSON Schema for OpenAPI 3.1. */
export function openApiSchema(schema: z.ZodType): object {
  const { $schema: _, ...shown } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // `readOnly` comes from the TypeScript type. In OpenAPI it would mark every field of every response.
      delete jsonSchema.readOnly;
      if (zodSchema === jsonObject) jsonSchema.type = 'object';
      if (zodSchema === json) jsonSchema.description = 'any JSON';
    },
  });
  return shown;
}

/** The most items to read for one page. If few of them match the filter, `next` continues the search. */
const MOST_READ = 5_000;
const READ_AT_ONCE = 200;

interface Paged<T> {
  readonly limit: number;
  readonly before: string | undefined;
  list(page: { readonly limit: number; readonly before?: string }): Promise<readonly T[]>;
  idOf(item: T): string;
  isWanted(item: T): boolean;
  /** Whether no later item can match. */
  isPast?(item: T): boolean;
}

/** The matching items, newest first, and where the next page begins. */
export async function pageOf<T>(paged: Paged<T>): Promise<{ items: T[]; next?: string }> {
  const { limit, idOf, isWanted, isPast = () => false } = paged;
  const items: T[] = [];
  let read = 0;
  for await (const item of listAll({ ...paged, pageSize: READ_AT_ONCE })) {
    if (isPast(item)) break;
    if (isWanted(item)) items.push(item);
    if (items.length === limit || ++read === MOST_READ) return { items, next: idOf(item) };
  }
  return { items };
}

/** Files of a request, as the runtime takes them. */
export function filesIn(given: z.infer<typeof attachments>): readonly GivenAttachment[] {
  return (given ?? []).map(({ data, ...file }) => ({ ...file, data: Buffer.from(data, 'base64') }));
}
