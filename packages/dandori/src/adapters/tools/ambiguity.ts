import * as z from 'zod';
import { type Json, json, jsonObject } from '../../domain/json.ts';
import type { Option } from '../../domain/question.ts';
import type { CallOutcome } from '../../ports/toolbox.ts';

const ambiguitySchema = z.object({
  question: z.string().min(1),
  options: z
    .array(z.object({ label: z.string(), value: json.optional(), args: jsonObject.optional() }))
    .min(1),
});
export type Ambiguity = z.input<typeof ambiguitySchema>;

/** Thrown by a service method that has done nothing yet and needs a person to choose. */
export class AmbiguityError extends Error {
  override readonly name = 'AmbiguityError';
  readonly ambiguity: Ambiguity;

  constructor(ambiguity: Ambiguity) {
    super(ambiguity.question);
    this.ambiguity = ambiguity;
  }
}

/** `throw ambiguous({ question: 'Which Springfield?', options: [{ label: 'Illinois', args: { state: 'IL' } }] })` */
export function ambiguous(ambiguity: Ambiguity): AmbiguityError {
  return new AmbiguityError(ambiguity);
}

export function toAmbiguous({ question, options }: Ambiguity): CallOutcome {
  return { kind: 'ambiguous', question, options: options.map(toOption) };
}

/** How a tool of an MCP server says the same: `{ ambiguous: true, question, options }` as structured content. */
export function ambiguityIn(value: Json | undefined): Ambiguity | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value.ambiguous !== true)
    return undefined;
  return ambiguitySchema.safeParse(value).data;
}

/** Its label stands for an option that names no value. */
function toOption({ label, value, args }: Ambiguity['options'][number]): Option {
  return { label, value: value ?? label, ...(args !== undefined && { args }) };
}
