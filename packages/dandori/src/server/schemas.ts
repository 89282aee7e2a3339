import { z } from '@hono/zod-openapi';
import type { Problem } from '../client/api.ts';
import type { Report } from '../core/report.ts';
import type { RunSummary } from '../dandori.ts';
import type { Event } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';

/** What routes have in common, as the description of the API tells it. */
export const problemSchema = z.custom<Problem>().openapi('Problem', {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', description: 'urn:dandori:error: and the code' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', description: 'Each has a page in docs/errors' },
    fix: { type: 'string', description: 'What to do about it' },
    diagnostics: { type: 'array', items: { type: 'object' } },
  },
});

export const runSummarySchema = z.custom<RunSummary>().openapi('RunSummary', {
  type: 'object',
  required: ['run', 'goal', 'startedAt', 'lastAt', 'lastSeq', 'status'],
  properties: {
    run: { type: 'string' },
    goal: { type: 'string' },
    userId: { type: 'string' },
    startedAt: { type: 'integer', description: 'Milliseconds since 1970' },
    lastAt: { type: 'integer' },
    lastSeq: { type: 'integer' },
    status: {
      type: 'string',
      enum: ['answered', 'failed', 'cancelled', 'exhausted', 'open', 'waiting', 'paused', 'damaged'],
    },
  },
});

export const reportSchema = z.custom<Report>().openapi('Report', {
  type: 'object',
  description: 'A run as `dandori show --json` prints it',
  required: ['run', 'goal', 'outcome', 'answer', 'tasks', 'usage', 'questions'],
  properties: {
    run: { type: 'string' },
    goal: { type: 'string' },
    outcome: {
      type: 'string',
      enum: ['answered', 'failed', 'cancelled', 'exhausted', 'waiting', 'paused', 'open'],
    },
    answer: { type: ['string', 'null'] },
    failure: { type: 'object' },
    missing: { type: 'array', items: { type: 'string' } },
    limit: { type: 'string' },
    plan: { type: 'object' },
    tasks: { type: 'object', additionalProperties: { type: 'object' } },
    usage: { type: 'object' },
    questions: { type: 'array', items: { type: 'object' } },
    rating: { type: 'object' },
  },
});

export const eventSchema = z.custom<Event>().openapi('Event', {
  type: 'object',
  required: ['v', 'run', 'seq', 'at', 'type', 'data'],
  properties: {
    v: { type: 'integer' },
    run: { type: 'string' },
    seq: { type: 'integer' },
    at: { type: 'integer', description: 'Milliseconds since 1970' },
    type: { type: 'string' },
    data: { type: 'object' },
  },
});

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
