import { inspect } from 'node:util';
import { messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Expectation, ModelReply, ModelScript, ScriptEntry } from './reply.ts';
import type { RecordedRequest } from './request.ts';

/** Hands out the replies, and records every deviation from the script. */
export class Script {
  readonly #script: ModelScript;
  readonly #failures: string[] = [];
  #asked = 0;

  constructor(script: ModelScript) {
    this.#script = script;
  }

  /** The next reply, or a failure that the client gets and that `verify` throws. */
  async next(request: RecordedRequest): Promise<{ reply: ModelReply } | { failure: string }> {
    const index = this.#asked++;
    const name = `request ${index + 1} (${describeRequest(request)})`;
    const reply = await this.#write(index, request, name);
    if (typeof reply === 'string') return this.fail(reply);
    const wrong = reply.expect === undefined ? undefined : await checkExpectation(reply.expect, request);
    return wrong === undefined ? { reply } : this.fail(`${name} is not the expected one: ${wrong}`);
  }

  fail(failure: string): { failure: string } {
    this.#failures.push(failure);
    return { failure };
  }

  verify(): void {
    const problems = [...this.#failures, ...this.#unused()];
    if (problems.length > 0) throw new ModelScriptError(problems);
  }

  /** The reply, or a sentence that says why there is none. */
  async #write(index: number, request: RecordedRequest, name: string): Promise<ModelReply | string> {
    const entry = typeof this.#script === 'function' ? this.#script : this.#script[index];
    if (entry === undefined) return `${name} was not expected: the script has ${this.#count()}`;
    if (typeof entry !== 'function') return entry;
    try {
      return (await entry(request, index)) ?? `${name} was not expected: the script gave no reply for it`;
    } catch (error) {
      return `${name} made the script throw: ${messageOf(error)}`;
    }
  }

  #count(): string {
    const { length } = this.#script;
    return length === 1 ? 'only 1 reply' : `only ${length} replies`;
  }

  #unused(): string[] {
    if (typeof this.#script === 'function') return [];
    const { length } = this.#script;
    return this.#script
      .slice(this.#asked)
      .map(
        (entry, index) => `reply ${this.#asked + index + 1} of ${length} was never asked for: ${show(entry)}`,
      );
  }
}

/** Thrown by `verify` and `close`: the requests did not match the script. */
export class ModelScriptError extends Error {
  override readonly name = 'ModelScriptError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      ['The model script did not go as written:', ...problems.map((problem) => `- ${problem}`)].join('\n'),
    );
    this.problems = problems;
  }
}

function describeRequest(request: RecordedRequest): string {
  const prompt = request.promptText.replaceAll(/\s+/g, ' ').trim();
  const ending = prompt.length > 80 ? `…${prompt.slice(-80)}` : prompt;
  return `${request.method} ${request.path}, prompt ${stringifyJson(ending)}`;
}

function show(entry: ScriptEntry): string {
  return inspect(entry, { depth: 2, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 80 });
}

/** What is wrong with the request. `undefined` if it matches the script. */
async function checkExpectation(
  expectation: Expectation,
  request: RecordedRequest,
): Promise<string | undefined> {
  if (typeof expectation === 'function') return checkWith(expectation, request);
  if (typeof expectation === 'string') {
    return request.promptText.includes(expectation)
      ? undefined
      : `the prompt does not hold ${stringifyJson(expectation)}`;
  }
  // Uses `search`, because `test` would keep its position in a pattern with the g flag.
  return request.promptText.search(expectation) === -1
    ? `the prompt does not match ${String(expectation)}`
    : undefined;
}

async function checkWith(
  check: (request: RecordedRequest) => unknown,
  request: RecordedRequest,
): Promise<string | undefined> {
  try {
    // A check such as `(request) => request.promptText.includes('x')` returns false instead of throwing.
    return (await check(request)) === false ? 'its check gave false' : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
