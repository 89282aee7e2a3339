import * as z from 'zod';
import { messageOf } from '../model/error.ts';
import { isObject, type Json, json, jsonObject, normalise } from '../model/json.ts';
import type { Option } from '../model/question.ts';
import { type Task, taskInput } from '../model/task.ts';
import { type CallOutcome, failed } from './toolbox.ts';

/** As in a plan file, a task may omit its id and its arguments. */
const offered = z
  .array(taskInput.partial({ id: true, args: true }))
  .min(1)
  .transform((tasks) =>
    tasks.map(
      ({ id, args, ...rest }, index): Task => ({ id: id ?? `t${index + 1}`, args: args ?? {}, ...rest }),
    ),
  );

const ambiguitySchema = z.object({
  question: z.string().min(1),
  /** The choices for a person: `args` change the arguments of the call, `tasks` replace the call. */
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
  /** Instead of options: a JSON Schema of an object whose fields become arguments. */
  form: jsonObject.optional(),
  /** The answer that is used if the question expires. */
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

/** `throw ambiguous({ question: 'Which one?', options: [{ label: 'Illinois', args: { state: 'IL' } }] })` */
export function ambiguous(ambiguity: Ambiguity): AmbiguityError {
  return new AmbiguityError(ambiguity);
}

/** Checked by name, because a service may have loaded another copy of this module. */
export function isAmbiguity(error: unknown): error is AmbiguityError {
  return error instanceof Error && error.name === 'AmbiguityError' && 'ambiguity' in error;
}

/**
 * Converts what a method of a service has thrown. Its types are unchecked at runtime, and a value that cannot
 * be read back must never be journaled.
 */
export function thrownAmbiguity({ ambiguity }: AmbiguityError, asker: Asker): CallOutcome {
  try {
    const read = ambiguitySchema.safeParse(normalise(ambiguity));
    if (!read.success) return misunderstood(asker, z.prettifyError(read.error));
    const { options, form } = read.data;
    if (options === undefined && form === undefined)
      return misunderstood(asker, 'it has neither options nor a form');
    return toAmbiguous(read.data, asker);
  } catch (error) {
    return misunderstood(asker, messageOf(error));
  }
}

function misunderstood({ name }: Asker, reason: string): CallOutcome {
  return failed('invalid_result', `${name} asked a question that can't be read: ${reason}`);
}

type Offered = NonNullable<Understood['options']>[number];

interface Asker {
  readonly name: string;
  readonly trusted: boolean;
}

/**
 * An untrusted server may ask a question. Its options must not add calls to the plan, because the person sees
 * only a label.
 */
export function toAmbiguous(
  {
    question,
    options = [],
    form,
    default: fallback,
  }: Omit<Understood, 'options'> & {
    readonly options?: readonly Offered[] | undefined;
  },
  { name, trusted }: Asker,
): CallOutcome {
  if (!trusted && options.some(({ tasks }) => tasks !== undefined)) {
    return failed(
      'invalid_result',
      `${name} asked a question whose options make calls of their own. The user was not asked: only a trusted tool (trusted: true) can do that.`,
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

/** How an MCP tool asks the same: `{ ambiguous: true, question, options }` as structured content. */
export function ambiguityIn(value: Json | undefined): Understood | undefined {
  if (!isObject(value) || value.ambiguous !== true) return undefined;
  const { question, options, form, default: fallback } = ambiguitySchema.safeParse(value).data ?? {};
  if (question === undefined) return undefined;
  if (options !== undefined) return { question, options, default: fallback };
  return form === undefined ? undefined : { question, form, default: fallback };
}

/** An option without a value has its label as the value. */
function toOption({ label, value, args, tasks }: Offered): Option {
  return {
    label,
    value: value ?? label,
    ...(args !== undefined && { args }),
    ...(tasks !== undefined && { tasks }),
  };
}
