/**
 * What a transport knows about a request that will have no answer.
 * - `not_sent`         it surely never reached the server
 * - `busy`             the server is there, and took no call
 * - `connection_lost`  it may have reached the server
 * - `too_large`        it was answered, by more than may be read
 */
export class TransportProblem extends Error {
  override readonly name = 'TransportProblem';
  readonly kind: 'not_sent' | 'busy' | 'connection_lost' | 'too_large';
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    kind: TransportProblem['kind'],
    message: string,
    details: { cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.retryAfter = details.retryAfter;
  }
}

export function tooLarge(limit: number): TransportProblem {
  return new TransportProblem('too_large', `the result is larger than ${Math.round(limit / 1e6)} MB`);
}

/**
 * A request ends by a response, so a problem is delivered as one. It travels as an object in `data`, which nothing that
 * comes over the wire can imitate.
 */
export function asResponse(id: string | number, problem: TransportProblem) {
  return { jsonrpc: '2.0' as const, id, error: { code: -32_000, message: problem.message, data: problem } };
}
