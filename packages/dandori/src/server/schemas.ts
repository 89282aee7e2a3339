import { z } from '@hono/zod-openapi';
import type { RunSummary } from '../app/dandori.ts';
import type { Problem } from '../client/api.ts';
import type { Event } from '../model/event.ts';
import { type Json, json, jsonObject } from '../model/json.ts';
import type { Report } from '../views/report.ts';
import { eventShape, problemShape, reportShape, runSummaryShape } from './shapes.ts';

/** What routes have in common, as the description of the API tells it. */
const problemSchema = described<Problem>('Problem', problemShape);
export const runSummarySchema = described<RunSummary>('RunSummary', runSummaryShape);
export const reportSchema = described<Report>(
  'Report',
  reportShape,
  'A run as `dandori show --json` prints it',
);
export const eventSchema = described<Event>('Event', eventShape, 'An event of the journal');

export const runParams = z.object({
  run: z.string().openapi({ param: { name: 'run', in: 'path' }, example: '20261115-221530123-k3f9' }),
});

export const conversationParams = z.object({
  conversation: z
    .string()
    .openapi({ param: { name: 'conversation', in: 'path' }, example: '20261115-221530123-k3f9' }),
});

export const idempotency = z.object({ 'idempotency-key': z.string().min(1).max(255).optional() });

export const says = z.string().openapi({ description: 'In your own words' });

/** What is sent as the answer to a question, beside the names of what it answers. */
export const given = {
  answer: z
    .custom<Json>()
    .optional()
    .openapi({ type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }),
  comment: z.string().max(10_000).optional(),
  declined: z.boolean().optional().openapi({ description: 'The person will not say, or says no' }),
};

export const NO_ANSWER = { error: 'must be there, unless "declined" is true', path: ['answer'] };

export function hasAnswer({
  answer,
  declined,
}: {
  answer?: unknown;
  declined?: boolean | undefined;
}): boolean {
  return answer !== undefined || declined === true;
}

export const done = z.object({ run: z.string() }).openapi('Done');

export function jsonContent<T extends z.ZodType>(description: string, schema: T) {
  return { description, content: { 'application/json': { schema } } };
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true, content: { 'application/json': { schema } } };
}

export const problems = {
  default: {
    description: 'What went wrong, with its code and what to do about it',
    content: { 'application/problem+json': { schema: problemSchema } },
  },
} as const;

export const count = z.coerce.number().int();

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

/** So many are looked at for one page; where a filter fits few, `next` leads on. */
const MOST_READ = 5_000;
const READ_AT_ONCE = 200;

interface Paged<T> {
  readonly limit: number;
  readonly before: string | undefined;
  read(options: { readonly limit: number; readonly before?: string }): Promise<readonly T[]>;
  idOf(item: T): string;
  isWanted(item: T): boolean;
  /** Whether nothing behind it can be wanted. */
  isPast?(item: T): boolean;
}

/** Those that are wanted, newest first, and where the next page begins. */
export async function pageOf<T>(paged: Paged<T>): Promise<{ items: T[]; next?: string }> {
  const { limit, before, read, idOf, isWanted, isPast = () => false } = paged;
  const items: T[] = [];
  let from = before;
  for (let count = 0; count < MOST_READ; ) {
    const some = await read({ limit: READ_AT_ONCE, ...(from !== undefined && { before: from }) });
    for (const item of some) {
      from = idOf(item);
      if (isPast(item)) return { items };
      if (isWanted(item)) items.push(item);
      if (items.length === limit) return { items, next: from };
    }
    if (some.length < READ_AT_ONCE) return { items };
    count += some.length;
  }
  return { items, ...(from !== undefined && { next: from }) };
}
