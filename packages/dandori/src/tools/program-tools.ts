import * as z from 'zod';
import { DandoriError } from '../model/error.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { nearest } from '../model/text.ts';
import type { Effect } from '../model/tool.ts';
import {
  checkName,
  createMethod,
  isService,
  type MethodDefinition,
  type Service,
  type ServiceContext,
} from './service.ts';

type AnyFunction = (input: never, context: never) => unknown;

/** A tool of the AI SDK, as its `tool()` returns it. */
export interface AiTool {
  readonly description?: unknown;
  readonly inputSchema: unknown;
  readonly execute?: AnyFunction | undefined;
  /** What it can change. `write` if it is missing. */
  readonly effect?: Effect;
  /** True if everything it returns is the program's own words. */
  readonly trusted?: boolean;
}

/**
 * A tool. Its name is its key in `tools`, or `name` if `tools` is a list. Its effect is `write` if it names none. Without
 * an input it takes no arguments. Its results are external content unless it says `trusted: true`.
 */
export type ToolDefinition<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = Omit<
  MethodDefinition<Input, Output>,
  'effect' | 'input'
> & { readonly name?: string; readonly effect?: Effect; readonly input?: Input };

/**
 * What a program may pass as a tool: a function, the result of `tool`, a tool of the AI SDK as it is, or a
 * service with several methods.
 */
export type GivenTool = AnyFunction | GivenDefinition | AiTool | Service;

/** A `ToolDefinition` of any input. */
interface GivenDefinition {
  readonly description?: string;
  readonly input?: z.ZodType;
  readonly run: AnyFunction;
  readonly effect?: Effect;
  readonly trusted?: boolean;
}

/** One TypeScript function as a tool. Its name is its key in `tools`. */
export function tool<Input extends z.ZodType, Output extends z.ZodType = z.ZodType<unknown, unknown>>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> {
  return definition;
}

/** Tools by name, or a list of tools that have names of their own. */
export type GivenTools = Readonly<Record<string, GivenTool>> | readonly GivenTool[];

export async function servicesOf(tools: GivenTools): Promise<Service[]> {
  const named = Array.isArray(tools)
    ? tools.map((given: GivenTool, index) => [ownName(given, index), given] as const)
    : Object.entries(tools);
  return Promise.all(named.map(([name, given]) => serviceOf(name, given)));
}

/** Services, functions and the tools of some libraries have names. A tool of Mastra has an id. */
function ownName(given: unknown, index: number): string {
  const { name, id } =
    typeof given === 'function' || isObject(given) ? (given as { name?: unknown; id?: unknown }) : {};
  const own = name ?? id;
  if (typeof own === 'string' && own !== '') return own;
  throw new DandoriError('service-invalid', `tools[${index}] has no name.`, {
    fix: 'Pass the tools by name: tools: { weather }.',
  });
}

async function serviceOf(name: string, given: GivenTool): Promise<Service> {
  checkName(name);
  if (isService(given)) {
    if (given.name === name) return given;
    throw new DandoriError('service-invalid', `tools.${name} is the service "${given.name}".`, {
      fix: `Use its name as the key: tools: { ${given.name} }.`,
    });
  }
  if (typeof given === 'function') return single(name, { description: describe(name, given), run: given });
  if (!isObject(given)) throw notATool(name, {});
  if ('inputSchema' in given) return fromAiSdk(name, given);
  if (!('run' in given) || typeof given.run !== 'function') throw notATool(name, given);
  refuseMisspelt(name, given);
  const { input = z.object({}), ...rest } = given as GivenDefinition;
  if (input instanceof z.ZodType) return single(name, { ...rest, input });
  throw new DandoriError('service-invalid', `tools.${name}.input is not a schema of zod 4.`, {
    fix: 'Write z.object({ … }) with zod 4 or newer, or leave out input if the tool takes no arguments. A JSON Schema goes with inputSchema and execute.',
  });
}

/** What other libraries call the parts of a tool. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  parameters: 'input',
  schema: 'input',
  outputSchema: 'output',
  execute: 'run',
  handler: 'run',
  func: 'run',
  invoke: 'run',
};

const PARTS: Readonly<Record<keyof ToolDefinition, true>> = {
  name: true,
  description: true,
  input: true,
  output: true,
  effect: true,
  trusted: true,
  calls: true,
  preview: true,
  run: true,
};

/** Without its `input` a tool would get no arguments, and without its `effect` it would write. */
function refuseMisspelt(name: string, given: object): void {
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(PARTS, key)) continue;
    const meant = OTHER_NAMES[key] ?? nearest(key, Object.keys(PARTS));
    if (meant === undefined || meant in given) continue;
    throw new DandoriError('service-invalid', `tools.${name} has an unknown part "${key}".`, {
      fix: `Did you mean ${meant}?`,
    });
  }
}

function notATool(name: string, given: object): DandoriError {
  const renamed = Object.keys(given).flatMap((key) =>
    Object.hasOwn(OTHER_NAMES, key) ? [`${key} → ${OTHER_NAMES[key]}`] : [],
  );
  return new DandoriError('service-invalid', `tools.${name} is not a tool.`, {
    fix:
      renamed.length > 0
        ? `Rename its parts: ${renamed.join(', ')}.`
        : 'Pass a function, tool({ description, input, run }), a tool of the AI SDK, or a service.',
  });
}

function describe(name: string, { name: own }: AnyFunction): string {
  return own === '' || own === name ? name : `${name} (${own})`;
}

interface Single {
  readonly description?: string;
  readonly effect?: Effect;
  readonly trusted?: boolean;
  readonly input?: z.ZodType;
  readonly inputSchema?: JsonObject;
  readonly run?: unknown;
}

function single(name: string, { inputSchema, ...given }: Single): Service {
  const schema = inputSchema ?? (given.input === undefined ? ANY : undefined);
  const definition = {
    ...{ effect: 'write', input: z.record(z.string(), z.unknown()), ...given },
    description: given.description ?? name,
  };
  const place = { name, server: name, ...(schema !== undefined && { inputSchema: schema }) };
  return { name, methods: [createMethod(definition as MethodDefinition<z.ZodType, z.ZodType>, place)] };
}

/** A function does not say which arguments it takes. */
const ANY: JsonObject = { type: 'object', additionalProperties: true };

async function fromAiSdk(name: string, given: object): Promise<Service> {
  const { description, effect, trusted, inputSchema, execute, needsApproval } = given as AiTool & {
    readonly needsApproval?: unknown;
  };
  if (typeof execute !== 'function')
    throw new DandoriError('service-invalid', `tools.${name} has no execute, so it cannot be called here.`, {
      fix: 'Give it an execute function. With run, the schema is called input.',
    });
  const { schema, validate } = await readSchema(name, inputSchema);
  const asked = needsApproval !== undefined && needsApproval !== false;
  return single(name, {
    description: typeof description === 'string' ? description : name,
    // The AI SDK asks the user about such a call. Here the user is asked about destructive calls.
    effect: effect ?? (asked ? 'destructive' : 'write'),
    ...(trusted !== undefined && { trusted }),
    inputSchema: schema,
    run: async (args: Json, context: ServiceContext) => {
      const options = { toolCallId: context.key, messages: [], abortSignal: context.signal, context: {} };
      return finalResult(Reflect.apply(execute, given, [await validate(args), options]));
    },
  });
}

interface ReadSchema {
  readonly schema: JsonObject;
  /** The arguments as `execute` takes them. Throws if they do not fit. */
  readonly validate: (args: Json) => unknown;
}

/** What the AI SDK takes: zod and other standard schemas, its own `jsonSchema()`, or a function that returns one. Also a JSON Schema. */
async function readSchema(name: string, given: unknown): Promise<ReadSchema> {
  if (typeof given === 'function' && !('~standard' in given)) return readSchema(name, given());
  const standard =
    isObject(given) || typeof given === 'function' ? Reflect.get(given, '~standard') : undefined;
  if (
    isObject(standard) &&
    isObject(standard.jsonSchema) &&
    typeof standard.jsonSchema.input === 'function'
  ) {
    const schema: unknown = standard.jsonSchema.input({ target: 'draft-2020-12' });
    if (isObject(schema))
      return { schema: schema as JsonObject, validate: (args) => fitting(standard, args) };
  }
  if (isObject(given) && given.type === 'object')
    return { schema: given as JsonObject, validate: (args) => args };
  const own = isObject(given) ? await given.jsonSchema : undefined;
  if (isObject(given) && isObject(own))
    return {
      schema: own as JsonObject,
      async validate(args) {
        if (typeof given.validate !== 'function') return args;
        const read: unknown = await given.validate(args);
        if (isObject(read) && read.success === false) throw read.error;
        return isObject(read) ? read.value : args;
      },
    };
  throw new DandoriError('service-invalid', `The inputSchema of tools.${name} cannot be read.`, {
    fix: 'Use a schema of zod 4, or a JSON Schema.',
  });
}

async function fitting({ validate }: Record<string, unknown>, args: Json): Promise<unknown> {
  const read: unknown = typeof validate === 'function' ? await validate(args) : { value: args };
  if (!isObject(read)) return args;
  if (read.issues === undefined) return read.value;
  const issues = Array.isArray(read.issues) ? read.issues : [];
  throw new Error(issues.map((issue) => (isObject(issue) ? String(issue.message) : '')).join('; '));
}

/** A tool of the AI SDK may yield preliminary results. The last one is its result. */
async function finalResult(returned: unknown): Promise<unknown> {
  if (!isAsyncIterable(returned)) return returned;
  let last: unknown;
  for await (const value of returned) last = value;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
