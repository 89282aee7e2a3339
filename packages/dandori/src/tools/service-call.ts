import { createHash } from 'node:crypto';
import * as z from 'zod';
import { assertNever, messageOf } from '../model/error.ts';
import type { Failure } from '../model/failure.ts';
import { hugeIn, withStandIns } from '../model/json/huge-ints.ts';
import { exactNumber } from '../model/json/numbers.ts';
import { canonicalJson, type JsonObject, normalise } from '../model/json.ts';
import { type Stop, stopOf } from '../model/stop.ts';
import { isRepeatable, type Tool } from '../model/tool.ts';
import { type InputResponse, MOST_ROUNDS } from '../run/state/held-calls.ts';
import { AmbiguityError, isAmbiguity, thrownAmbiguity } from './ambiguity.ts';
import type { MethodDefinition, ServiceContext } from './service.ts';
import { type Call, type CallOutcome, failed, notStarted, previewAnswer, stopped } from './toolbox.ts';

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

/** A call of a method of a service. */
interface Calling {
  readonly tool: Tool;
  readonly call: Call;
  readonly inner: (call: Call) => Promise<CallOutcome>;
}

/** Runs the code of the method. `call-method.ts` decides which calls the method may make. */
export async function runMethod<Input extends z.ZodType, Output extends z.ZodType>(
  definition: MethodDefinition<Input, Output>,
  calling: Calling,
): Promise<CallOutcome> {
  const { tool, call } = calling;
  const stop = call.stop ?? stopOf(call.signal);
  if (stop.isStopped) return notStarted(tool.name);
  try {
    const read = await definition.input.safeParseAsync(call.args);
    const input = read.success ? read : await readAgain(definition.input, call.args, read.error);
    if (!input.success) return failed('invalid_args', `${tool.name}: ${input.message}`);
    const isRun = call.preview === undefined || definition.preview === undefined;
    const context = createContext(calling);
    const work = isRun ? definition.run(input.data, context) : definition.preview?.(input.data, context);
    const value = await untilAbandoned(work, stop);
    if (value === ABANDONED) return { ...stopped(call.signal, tool.name), unstopped: true };
    const output = isRun ? definition.output : previewAnswer;
    return output === undefined ? toOutcome(tool, value) : await parsedOutcome(output, tool, value);
  } catch (error) {
    return errorOutcome(error, calling);
  }
}

type Read<Input extends z.ZodType> =
  | { readonly success: true; readonly data: z.output<Input> }
  | { readonly success: false; readonly message: string };

/**
 * A method that expects numbers also accepts integers beyond 2^53, if a number can represent them exactly. An
 * integer that would be rounded is refused.
 */
async function readAgain<Input extends z.ZodType>(
  schema: Input,
  args: JsonObject,
  error: z.ZodError,
): Promise<Read<Input>> {
  const integers = [...hugeIn(args)].filter((one) => typeof one === 'bigint');
  const wrong = integers.find((integer) => exactNumber(integer) === undefined);
  const hint =
    wrong === undefined
      ? ''
      : `\n${wrong} is too large for a JavaScript number: read it with z.coerce.bigint(), or as text`;
  if (integers.length === 0 || wrong !== undefined)
    return { success: false, message: `${z.prettifyError(error)}${hint}` };
  const read = await schema.safeParseAsync(withStandIns(args, new Map()));
  return read.success ? read : { success: false, message: z.prettifyError(read.error) };
}

function createContext({ call, inner }: Calling): ServiceContext {
  let keyOf: KeyOf | undefined;
  return {
    userId: call.userId,
    signal: call.signal,
    progress: (message, fraction) => call.progress?.(message, fraction),
    key: call.key,
    isClean: call.isClean === true,
    language: call.language,
    async call(operation, given, { key: name } = {}) {
      const args = asSent(operation, given);
      keyOf ??= createKeys(call);
      const key = keyOf(operation, args, name);
      // What the method passes on may come from a tool that it has called before.
      const own = { ...call, operation, args, key, inputs: undefined, preview: undefined, isClean: false };
      const outcome = await inner(own);
      switch (outcome.kind) {
        case 'succeeded':
          return outcome.result;
        case 'failed':
          throw new ServiceCallError(operation, outcome.failure);
        case 'lost':
          throw new ServiceCallError(operation, { kind: 'unavailable', message: outcome.message }, true);
        case 'input_wanted': {
          const message = 'it keeps asking for input';
          throw new ServiceCallError(operation, { kind: 'tool_error', message });
        }
        case 'ambiguous': {
          const { question, options, form, default: fallback } = outcome;
          const asked = { question, default: fallback };
          throw new AmbiguityError(
            form === undefined ? { ...asked, options: [...options] } : { ...asked, form },
          );
        }
        default:
          return assertNever(outcome);
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

type KeyOf = (operation: string, args: JsonObject, name?: string) => string;

/**
 * The key of a call inside a method. It depends on what is called, so that a method that acts differently on
 * the next run never reuses the key of another call. Equal calls are counted. The key is derived from the
 * sealed values in the journal: a digest of a secret would let a reader of the journal guess passwords.
 */
function createKeys({ key: task, seal = (args) => args }: Pick<Call, 'key' | 'seal'>): KeyOf {
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
        return failed('rejected', `${call.operation} needs something to be done first, and it was not done`);
    }
    outcome = await inner({ ...call, inputs: { responses, state } });
  }
  return outcome;
}

async function parsedOutcome(output: z.ZodType, tool: Tool, value: unknown): Promise<CallOutcome> {
  const parsed = await output.safeParseAsync(value);
  if (parsed.success) return toOutcome(tool, parsed.data);
  return failed(
    'invalid_result',
    `the result does not fit the output of ${tool.name}: ${z.prettifyError(parsed.error)}`,
  );
}

function toOutcome({ name }: Tool, value: unknown): CallOutcome {
  try {
    // A copy: the method may keep changing what it returned, but the run must not see that.
    return {
      kind: 'succeeded',
      result: normalise(value),
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

const ABANDONED = Symbol('abandoned');

/** After a stop a method gets a moment to end by itself. Then the engine stops waiting for it. */
function untilAbandoned(work: unknown, stop: Stop): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const forget = stop.onStop(() => {
      timer = setTimeout(() => resolve(ABANDONED), GRACE);
    });
    const end = () => {
      forget();
      if (timer !== undefined) clearTimeout(timer);
    };
    Promise.resolve(work).then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

function errorOutcome(error: unknown, { tool, call }: Calling): CallOutcome {
  // The toolbox decides whether its options may make calls, because the configuration may say that it is trusted.
  if (isAmbiguity(error)) return thrownAmbiguity(error, { name: tool.name, trusted: true });
  if (call.signal.aborted) return stopped(call.signal, tool.name);
  if (!(error instanceof ServiceCallError)) {
    return failed('tool_error', messageOf(error) || (error instanceof Error ? error.name : 'unknown error'));
  }
  if (error.inDoubt) return { kind: 'lost', cause: 'connection_lost', message: error.message };
  // The method may have done something before. Retrying all of it is not the same as retrying that call.
  const retryable = error.failure.retryable === true && isRepeatable(tool.effect);
  return failed(error.failure.kind, error.message, { ...(retryable && { retryable }) });
}
