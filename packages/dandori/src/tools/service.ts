import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { DandoriError, messageOf } from '../model/error.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Language } from '../model/text.ts';
import { type Effect, effect as effects, isWorse, type Tool } from '../model/tool.ts';
import { runMethod } from './service-call.ts';
import type { Call, CallOutcome, previewAnswer } from './toolbox.ts';

export { ambiguous } from './ambiguity.ts';

/** What a method gets besides its input. */
export interface ServiceContext {
  readonly userId: string | undefined;
  /** Aborted when the call should stop. If a method ignores it, the engine soon stops waiting for it. */
  readonly signal: AbortSignal;
  readonly progress: (message: string, fraction?: number) => void;
  /** The same for every attempt of a task, so that a repeated effect can be recognised by it. */
  readonly key: string;
  /** Of the user: for errors, questions and previews. */
  readonly language?: Language | undefined;
  /**
   * Whether external content had no influence on the call and its arguments. A service that stores something should
   * store this too.
   */
  readonly isClean: boolean;
  /**
   * Calls another tool, which `calls` must name. Throws a `ServiceCallError` if the call does not succeed.
   *
   * The call is written to the journal. When the method runs again after a crash or for a retry, a finished call with
   * the same arguments returns its earlier result. Among equal calls, the first matches the first, and the second
   * matches the second.
   */
  call(tool: string, args: JsonObject, options?: InnerCallOptions): Promise<Json>;
}

export interface InnerCallOptions {
  /**
   * Tells equal calls apart by something that stays the same when the method runs again, such as the number of an
   * order line. Needed only if a method makes equal calls and does not learn through `call` which of them are left.
   * Calls of a task with the same tool, arguments and key are one call.
   */
  readonly key?: string;
}

export interface MethodDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly description: string;
  readonly input: Input;
  readonly output?: Output;
  readonly effect: Effect;
  /**
   * The tools that `run` calls by `context.call`, by full name; others cannot be called. They must do no more
   * to the world than `effect` says. They are ordered with the other tasks of the plan as if they were part
   * of it.
   */
  readonly calls?: readonly string[];
  /**
   * True if everything it returns, throws or asks is the program's own words, whatever the tools in `calls` return.
   * Otherwise its results count as external content, which cannot order or aim a call.
   */
  readonly trusted?: boolean;
  /**
   * Says what `run` would do with this input, and changes nothing: `context.call` calls reads only. Asked before
   * the user is asked to approve a call. May throw `ambiguous`, so that the user chooses first.
   */
  preview?(input: z.output<Input>, context: ServiceContext): Promise<MethodPreview> | MethodPreview;
  run(input: z.output<Input>, context: ServiceContext): Promise<z.input<Output>> | z.input<Output>;
}

/** What a call would do. The language is that of `context.language`. */
type MethodPreview = z.input<typeof previewAnswer>;

export interface ServiceMethod {
  readonly tool: Tool;
  /** Must not throw or reject. */
  call(call: Call, inner: (call: Call) => Promise<CallOutcome>): Promise<CallOutcome>;
}

export interface Service {
  readonly name: string;
  readonly methods: readonly ServiceMethod[];
}

const NAME = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/**
 * Several functions that belong together. They are called as `service.method`, and share one resource when
 * calls are ordered.
 */
export function defineService<
  Inputs extends Record<string, z.ZodType>,
  Outputs extends Record<string, z.ZodType>,
>(definition: {
  readonly name: string;
  readonly description?: string;
  readonly methods: {
    readonly [Method in keyof Inputs]: MethodDefinition<Inputs[Method], Outputs[Method & keyof Outputs]>;
  };
}): Service {
  const { name: server, methods } = definition;
  checkName(server);
  const made = Object.entries<MethodDefinition<z.ZodType, z.ZodType>>(methods).map(([method, described]) => {
    checkName(method);
    return createMethod(described, { name: `${server}.${method}`, server });
  });
  return { name: server, methods: made };
}

export function checkName(name: string): void {
  if (NAME.test(name)) return;
  const fix = 'Use letters, digits, "_" and "-", beginning with a letter.';
  throw new DandoriError('service-invalid', `"${name}" cannot be the name of a service or a method.`, {
    fix,
  });
}

/** `inputSchema`: the JSON Schema of the arguments, if the definition's `input` does not say it. */
export function createMethod<Input extends z.ZodType, Output extends z.ZodType>(
  definition: MethodDefinition<Input, Output>,
  { name, server, ...given }: { name: string; server: string; inputSchema?: JsonObject },
): ServiceMethod {
  const { description, input, output, effect, calls, trusted } = definition;
  // An unknown effect would count as less than a read.
  if (!effects.options.includes(effect))
    throw new DandoriError('service-invalid', `The effect of ${name} is unknown: ${effect}.`, {
      fix: `The effects are ${effects.options.join(', ')}.`,
    });
  const inputSchema = given.inputSchema ?? toSchema(name, input, 'input');
  if (inputSchema.type !== 'object') {
    const fix = 'Arguments have names: make the input a z.object({ … }).';
    throw new DandoriError('service-invalid', `The input of ${name} is not an object.`, { fix });
  }
  const outputSchema = output === undefined ? undefined : toSchema(name, output, 'output');
  const tool = {
    name,
    server,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    effect,
    ...(calls !== undefined && { calls }),
    ...(definition.preview !== undefined && { preview: true }),
    // Its code can fetch anything, also besides its calls.
    trusted: trusted === true,
    ...(trusted === undefined && { trustMissing: true as const }),
  };
  return {
    tool,
    call: (call, inner) => runMethod(definition, { tool, call, inner }),
  };
}

function toSchema(name: string, schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  try {
    // A result goes through JSON, where a Date becomes a text. An argument from JSON is never a Date.
    return z.toJSONSchema(schema, {
      io,
      unrepresentable: ({ zodSchema }) => {
        if (zodSchema._zod.def.type === 'bigint') return { type: 'integer' };
        return io === 'input' ? 'throw' : 'any';
      },
    }) as JsonObject;
  } catch (cause) {
    const message = `The ${io} of ${name} cannot be written as JSON Schema: ${cause instanceof Error ? cause.message : cause}`;
    throw new DandoriError('service-invalid', message, { fix: 'Use types that JSON has.', cause });
  }
}

/** Loads services from the modules in the configuration: the default export, or every exported service. */
export async function loadServices(files: readonly string[]): Promise<Service[]> {
  const loaded = await Promise.all(files.map(async (file) => servicesIn(await importModule(file), file)));
  return loaded.flat();
}

async function importModule(file: string): Promise<object> {
  try {
    return (await import(pathToFileURL(file).href)) as object;
  } catch (error) {
    throw new DandoriError('service-invalid', `Cannot load the service ${file}: ${messageOf(error)}`, {
      fix: fixOf(error),
      cause: error,
    });
  }
}

/** `npm init` makes a project of CommonJS, in which Node refuses `import` in a `.ts` file. */
function fixOf(error: unknown): string {
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: '' };
  if (/outside a module|Unexpected token 'export'/.test(message))
    return 'Write "type": "module" in package.json, or let the name of the file end with .mts.';
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'Copy the file out of node_modules: Node runs no TypeScript there.';
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return 'Use Node 22.18 or newer, which runs TypeScript, or name a JavaScript file.';
  return 'Fix the module; Node must be able to import it as it is.';
}

function servicesIn(module: object, file: string): Service[] {
  const found = Object.values(module).flat().filter(isService);
  if (found.length > 0) return [...new Set(found)];
  throw new DandoriError('service-invalid', `${file} exports no service.`, {
    fix: 'export default defineService({ name, methods })',
  });
}

export function isService(value: unknown): value is Service {
  return isObject(value) && 'name' in value && Array.isArray(value.methods);
}

/**
 * A method that calls tools is one task of a plan. Its own declaration decides about order, approval and
 * retries. So it may call only the tools that it names, and none that does more to the world than it
 * declares.
 */
export function refusedCall(
  caller: string,
  called: string,
  tools: ReadonlyMap<string, Tool>,
): string | undefined {
  const method = tools.get(caller);
  if (method?.calls?.includes(called) !== true)
    return `${caller} can't call it, because it does not declare it. Add "${called}" to its calls.`;
  const effect = tools.get(called)?.effect;
  if (effect === undefined || !isWorse(effect, method.effect)) return undefined;
  return `${caller} may not call it, because it is ${effect} and ${caller} says that it is ${method.effect}. Give ${caller} the effect ${effect}.`;
}

/** Checks declared calls as soon as the tools are known, instead of halfway through a method. */
export function checkCalls(tools: ReadonlyMap<string, Tool>): void {
  for (const { name, calls = [] } of tools.values()) {
    for (const called of calls) {
      const reason = refusedCall(name, called, tools);
      if (reason === undefined) continue;
      const [message = '', fix] = reason.split(/(?<=\.) /);
      throw new DandoriError('service-invalid', `${called}: ${message}`, { fix });
    }
  }
}
