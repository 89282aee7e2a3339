import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { DandoriError, messageOf } from '../model/error.ts';
import type { Failure } from '../model/failure.ts';
import {
  canonicalJson,
  exactNumber,
  isObject,
  type Json,
  type JsonObject,
  normalise,
} from '../model/json.ts';
import { hugeIn, withStandIns } from '../model/stand-in.ts';
import { type Effect, isRepeatable, isWorse, type Tool } from '../model/tool.ts';
import { type InputResponse, MOST_ROUNDS } from '../run/state/held-calls.ts';
import { AmbiguityError, isAmbiguity, thrownAmbiguity } from './ambiguity.ts';
import { type Call, type CallOutcome, failed, notStarted, previewAnswer, stopped } from './toolbox.ts';

export { ambiguous } from './ambiguity.ts';

/** What a method gets besides its input. */
export interface ServiceContext {
  readonly userId: string | undefined;
  /** Aborted when the call should stop. If a method ignores it, the engine soon stops waiting for it. */
  readonly signal: AbortSignal;
  readonly progress: (message: string, fraction?: number) => void;
  /** The same for every attempt of a task, so that a repeated effect can be recognised by it. */
  readonly key: string;
  /** For a preview: the language of the user. */
  readonly language?: 'en' | 'ja' | undefined;
  /**
   * Calls another tool, which `calls` must name. Throws a `ServiceCallError` if the call does not succeed.
   *
   * The call is written to the journal. When the method runs again (its process died, or it is retried), a
   * finished call with the same arguments is not made again: it returns the earlier result. Among equal
   * calls, the first matches the first, and the second matches the second.
   */
  call(tool: string, args: JsonObject, options?: InnerCallOptions): Promise<Json>;
}

export interface InnerCallOptions {
  /**
   * Tells equal calls apart by something that stays the same when the method runs again, such as the number
   * of an order line. It is needed only if a method makes equal calls and finds out by other means than
   * `call` which of them are left. Calls of a task with the same tool, arguments and key are one call.
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
   * False if the result may contain words of other people, such as a web page. By default it may if a tool in
   * `calls` may return such words.
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
export type MethodPreview = z.input<typeof previewAnswer>;

export interface ServiceMethod {
  readonly tool: Tool;
  /** It does not say whether its results are trusted, so that depends on the tools that it calls. */
  readonly isTrustedLikeItsCalls?: boolean;
  /** Must not throw or reject. */
  call(call: Call, inner: (call: Call) => Promise<CallOutcome>): Promise<CallOutcome>;
}

export interface Service {
  readonly name: string;
  readonly methods: readonly ServiceMethod[];
}

/** A tool that a method called did not succeed. Uncaught, it ends the method's own call in the same way. */
export class ServiceCallError extends Error {
  override readonly name = 'ServiceCallError';
  readonly tool: string;
  readonly failure: Failure;
  /** True if the call may have taken effect anyway. */
  readonly inDoubt: boolean;

  constructor(tool: string, failure: Failure, inDoubt = false) {
    super(`${tool}: ${failure.message}`);
    this.tool = tool;
    this.failure = failure;
    this.inDoubt = inDoubt;
  }
}

const GRACE = 500;
const NAME = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*$/;

/** One TypeScript function as a tool. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodType = z.ZodType<unknown, unknown>>(
  definition: MethodDefinition<Input, Output> & { readonly name: string },
): Service {
  const { name } = definition;
  checkName(name);
  return { name, methods: [createMethod(definition, { name, server: name })] };
}

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

function checkName(name: string): void {
  if (NAME.test(name)) return;
  const fix = 'Use letters, digits, "_" and "-", beginning with a letter.';
  throw new DandoriError('service-invalid', `"${name}" cannot be the name of a service or a method.`, {
    fix,
  });
}

function createMethod<Input extends z.ZodType, Output extends z.ZodType>(
  definition: MethodDefinition<Input, Output>,
  { name, server }: { name: string; server: string },
): ServiceMethod {
  const { description, input, output, effect, calls, trusted } = definition;
  const inputSchema = toSchema(name, input, 'input');
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
    trusted: trusted ?? true,
  };
  return {
    tool,
    isTrustedLikeItsCalls: trusted === undefined,
    call: (call, inner) => callMethod(definition, { tool, call, inner }),
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

interface Calling {
  readonly tool: Tool;
  readonly call: Call;
  readonly inner: (call: Call) => Promise<CallOutcome>;
}

async function callMethod<Input extends z.ZodType, Output extends z.ZodType>(
  definition: MethodDefinition<Input, Output>,
  calling: Calling,
): Promise<CallOutcome> {
  const { tool, call } = calling;
  if (call.signal.aborted) return notStarted(tool.name);
  try {
    const input = await readInput(definition.input, call.args);
    if (!input.success)
      return failed('invalid_args', `${tool.name}: ${z.prettifyError(input.error)}${input.hint}`);
    const { preview } = definition;
    const isPreview = call.preview !== undefined && preview !== undefined;
    const context = createContext(calling);
    const work = (async () =>
      isPreview ? preview.call(definition, input.data, context) : definition.run(input.data, context))();
    const shape = isPreview ? { output: previewAnswer } : definition;
    return await untilAbandoned(
      work.then((value) => toOutcome(shape, tool, value)),
      call.signal,
      tool.name,
    );
  } catch (error) {
    return errorOutcome(error, calling);
  }
}

type Read<Input extends z.ZodType> =
  | { readonly success: true; readonly data: z.output<Input> }
  | { readonly success: false; readonly error: z.ZodError; readonly hint: string };

/**
 * A method that expects numbers also accepts integers beyond 2^53, if a number can represent them exactly. An
 * integer that would be rounded is refused.
 */
async function readInput<Input extends z.ZodType>(schema: Input, args: JsonObject): Promise<Read<Input>> {
  const read = await schema.safeParseAsync(args);
  const integers = read.success ? [] : [...hugeIn(args)].filter((one) => typeof one === 'bigint');
  if (read.success || integers.length === 0) return { ...read, hint: '' } as Read<Input>;
  const wrong = integers.find((integer) => exactNumber(integer) === undefined);
  const hint = `\n${wrong} is more than a number of JavaScript holds: take it by z.coerce.bigint(), or as text`;
  if (wrong !== undefined) return { ...read, hint } as Read<Input>;
  return { ...(await schema.safeParseAsync(withStandIns(args, new Map()))), hint: '' } as Read<Input>;
}

function createContext({ call, inner }: Calling): ServiceContext {
  const keyOf = createKeys(call);
  return {
    userId: call.userId,
    signal: call.signal,
    progress: (message, fraction) => call.progress?.(message, fraction),
    key: call.key,
    language: call.preview?.language,
    async call(operation, given, { key: name } = {}) {
      const args = asSent(operation, given);
      const key = keyOf(operation, args, name);
      const outcome = await inner({ ...call, operation, args, key, inputs: undefined, preview: undefined });
      switch (outcome.kind) {
        case 'succeeded':
          return outcome.result;
        case 'failed':
          throw new ServiceCallError(operation, outcome.failure);
        case 'lost':
          throw new ServiceCallError(operation, { kind: 'unavailable', message: outcome.message }, true);
        case 'input_wanted': {
          const message = 'it asks for input again and again';
          throw new ServiceCallError(operation, { kind: 'tool_error', message });
        }
        case 'ambiguous': {
          const { question, options, form, default: fallback } = outcome;
          const asked = { question, default: fallback };
          throw new AmbiguityError(
            form === undefined ? { ...asked, options: [...options] } : { ...asked, form },
          );
        }
      }
    },
  };
}

/** A copy as it is journaled and sent, so that later changes by the method do not affect it. */
function asSent(operation: string, args: JsonObject): JsonObject {
  try {
    return normalise(args) as JsonObject;
  } catch (error) {
    const message = `the arguments are not JSON: ${error instanceof Error ? error.message : error}`;
    throw new ServiceCallError(operation, { kind: 'invalid_args', message });
  }
}

const DIGEST_LENGTH = 24;

/**
 * The key of a call inside a method. It depends on what is called, so that a method that acts differently on
 * the next run never reuses the key of another call. Equal calls are counted. The key is derived from the
 * sealed values in the journal: a digest of a secret would let a reader of the journal guess passwords.
 */
function createKeys({
  key: task,
  seal = (args) => args,
}: Pick<Call, 'key' | 'seal'>): (operation: string, args: JsonObject, name?: string) => string {
  const equal = new Map<string, number>();
  return (operation, args, name) => {
    const bound = seal([operation, args, ...(name === undefined ? [] : [name])]);
    const digest = createHash('sha256').update(canonicalJson(bound)).digest('hex').slice(0, DIGEST_LENGTH);
    if (name !== undefined) return `${task}/${digest}`;
    const ordinal = (equal.get(digest) ?? 0) + 1;
    equal.set(digest, ordinal);
    return `${task}/${digest}-${ordinal}`;
  };
}

/** A method cannot be paused and resumed in the middle, so it is held open while a person is asked. */
export async function withInput(call: Call, inner: Calling['inner']): Promise<CallOutcome> {
  let outcome = await inner(call);
  for (let round = 1; outcome.kind === 'input_wanted' && round <= MOST_ROUNDS; round++) {
    const { requests, state } = outcome;
    const responses: Record<string, InputResponse> = {};
    for (const { name, ...request } of requests) {
      const response = (await call.elicit?.(request)) ?? { action: 'cancel' as const };
      if (name !== undefined) responses[name] = response;
      else if (response.action !== 'accept')
        return failed('rejected', `what ${call.operation} needs first was not done`);
    }
    outcome = await inner({ ...call, inputs: { responses, state } });
  }
  return outcome;
}

async function toOutcome(
  { output }: { readonly output?: z.ZodType },
  { name }: Tool,
  value: unknown,
): Promise<CallOutcome> {
  const parsed =
    output === undefined ? { success: true as const, data: value } : await output.safeParseAsync(value);
  if (!parsed.success) {
    return failed(
      'invalid_result',
      `the result does not fit the output of ${name}: ${z.prettifyError(parsed.error)}`,
    );
  }
  try {
    // A copy: the method may keep changing what it returned, but the run must not see that.
    return {
      kind: 'succeeded',
      result: normalise(parsed.data),
    };
  } catch (error) {
    // "Maximum call stack size exceeded" would not tell the author of the service what is wrong.
    const reason =
      error instanceof RangeError
        ? 'it is nested too deeply'
        : error instanceof Error
          ? error.message
          : error;
    return failed('invalid_result', `the result of ${name} is not JSON: ${reason}`);
  }
}

/** After an abort a method gets a moment to end by itself. Then the engine stops waiting for it. */
function untilAbandoned(work: Promise<CallOutcome>, signal: AbortSignal, name: string): Promise<CallOutcome> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const abandon = () => {
      timer = setTimeout(() => resolve({ ...stopped(signal, name), unstopped: true }), GRACE);
    };
    signal.addEventListener('abort', abandon, { once: true });
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abandon);
    });
  });
}

function errorOutcome(error: unknown, { tool, call }: Calling): CallOutcome {
  if (isAmbiguity(error)) return thrownAmbiguity(error, tool);
  if (call.signal.aborted) return stopped(call.signal, tool.name);
  if (!(error instanceof ServiceCallError)) {
    return failed('tool_error', error instanceof Error ? error.message || error.name : String(error));
  }
  if (error.inDoubt) return { kind: 'lost', cause: 'connection_lost', message: error.message };
  // The method may have done something before. Retrying all of it is not the same as retrying that call.
  const retryable = error.failure.retryable === true && isRepeatable(tool.effect);
  return failed(error.failure.kind, error.message, { ...(retryable && { retryable }) });
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
      fix: 'Correct the module; Node must be able to import it as it is.',
      cause: error,
    });
  }
}

function servicesIn(module: object, file: string): Service[] {
  const found = Object.values(module).flat().filter(isService);
  if (found.length > 0) return [...new Set(found)];
  throw new DandoriError('service-invalid', `${file} exports no service.`, {
    fix: 'export default defineService({ name, methods })',
  });
}

function isService(value: unknown): value is Service {
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
    return `${caller} may not call it, because it does not name it. Add "${called}" to its calls.`;
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
