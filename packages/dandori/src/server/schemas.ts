import { z } from '@hono/zod-openapi';
import type { Problem } from '../client/api.ts';
import type { Report } from '../core/report.ts';
import type { RunSummary } from '../dandori.ts';
import type { Event } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import { described } from './described.ts';
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

export function json<T extends z.ZodType>(description: string, schema: T) {
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
