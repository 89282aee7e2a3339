import { stringifyJson } from '../../domain/json-text.ts';
import type { Expectation } from './reply.ts';
import type { RecordedRequest } from './request.ts';

/** Says what is wrong with the request, or `undefined` when it is what the script wants. */
export async function checkExpectation(
  expectation: Expectation,
  request: RecordedRequest,
): Promise<string | undefined> {
  if (typeof expectation === 'function') return checkWith(expectation, request);
  if (typeof expectation === 'string') {
    return request.promptText.includes(expectation)
      ? undefined
      : `the prompt does not hold ${stringifyJson(expectation)}`;
  }
  // `search`, as `test` would remember its place in a pattern with the g flag.
  return request.promptText.search(expectation) === -1
    ? `the prompt does not match ${String(expectation)}`
    : undefined;
}

async function checkWith(
  check: (request: RecordedRequest) => unknown,
  request: RecordedRequest,
): Promise<string | undefined> {
  try {
    // A check such as `(request) => request.promptText.includes('x')` gives false: that must not pass.
    return (await check(request)) === false ? 'its check gave false' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
