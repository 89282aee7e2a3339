import * as z from 'zod';
import { isObject, type Json, json, jsonObject, normalise } from '../model/json.ts';
import type { Option } from '../model/question.ts';
import { type Task, task } from '../model/task.ts';
import { type CallOutcome, failed } from './toolbox.ts';

/** As in a plan file, a task need not have an id or arguments. */
const offered = z
  .array(task.partial({ id: true, args: true }))
  .min(1)
  .transform((tasks) =>
    tasks.map(
      ({ id, args, ...rest }, index): Task => ({ id: id ?? `t${index + 1}`, args: args ?? {}, ...rest }),
    ),
  );

const ambiguitySchema = z.object({
  question: z.string().min(1),
  /** What a person chooses from: `args` change the arguments of the call, `tasks` are done in place of it. */
  options: z
    .array(
      z.object({
        label: z.string(),
        value: json.optional(),
        args: jsonObject.optional(),
        tasks: offered.optional(),
      }),
    )
    .min(1)
    .optional(),
  /** In place of options: a JSON Schema of an object whose fields become arguments. */
  form: jsonObject.optional(),
  /** What is taken where nobody answers in time. */
  default: json.optional(),
});
type Written = z.input<typeof ambiguitySchema>;
type Choices = NonNullable<Written['options']>;
type Understood = z.output<typeof ambiguitySchema>;

/** Options to choose from, or a form to fill in. */
type Ambiguity = Pick<Written, 'question' | 'default'> &
  (
    | { readonly options: Choices; readonly form?: undefined }
    | { readonly form: NonNullable<Written['form']>; readonly options?: undefined }
  );

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

/** By its name: a service may have been given another copy of this module than the one that calls it. */
export function isAmbiguity(error: unknown): error is AmbiguityError {
  return error instanceof Error && error.name === 'AmbiguityError' && 'ambiguity' in error;
}

/**
 * What a method of a service has thrown. Nobody has checked its types, and what cannot be read back must never be
 * written down.
 */
export function thrownAmbiguity({ ambiguity }: AmbiguityError, asker: Asker): CallOutcome {
  try {
    const read = ambiguitySchema.safeParse(normalise(ambiguity));
    if (!read.success) return misunderstood(asker, z.prettifyError(read.error));
    const { options, form } = read.data;
    if (options === undefined && form === undefined)
      return misunderstood(asker, 'there are neither options nor a form');
    return toAmbiguous(read.data, asker);
  } catch (error) {
    return misunderstood(asker, error instanceof Error ? error.message : String(error));
  }
}

function misunderstood({ name }: Asker, reason: string): CallOutcome {
  return failed('invalid_result', `${name} asks, and what it asks cannot be understood: ${reason}`);
}

interface Asker {
  readonly name: string;
  readonly trusted: boolean;
}

/** Who is not trusted may ask, and must not bring calls into the plan behind a label that somebody clicks on. */
export function toAmbiguous(
  { question, options = [], form, default: fallback }: Understood,
  { name, trusted }: Asker,
): CallOutcome {
  if (!trusted && options.some(({ tasks }) => tasks !== undefined)) {
    return failed(
      'invalid_result',
      `${name} asks, with options that make calls of their own. It was asked nobody: only a server that is trusted (trusted: true) may do so.`,
    );
  }
  return {
    kind: 'ambiguous',
    question,
    options: options.map(toOption),
    ...(form !== undefined && { form }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** How a tool of an MCP server says the same: `{ ambiguous: true, question, options }` as structured content. */
export function ambiguityIn(value: Json | undefined): Understood | undefined {
  if (!isObject(value) || value.ambiguous !== true) return undefined;
  const { question, options, form, default: fallback } = ambiguitySchema.safeParse(value).data ?? {};
  if (question === undefined) return undefined;
  if (options !== undefined) return { question, options, default: fallback };
  return form === undefined ? undefined : { question, form, default: fallback };
}

/** Its label stands for an option that names no value. */
function toOption({ label, value, args, tasks }: NonNullable<Understood['options']>[number]): Option {
  return {
    label,
    value: value ?? label,
    ...(args !== undefined && { args }),
    ...(tasks !== undefined && { tasks }),
  };
}
