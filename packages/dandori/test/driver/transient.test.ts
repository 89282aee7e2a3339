import { ProtocolError } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import { TRANSIENT } from '../../src/model/settings.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import { callErrorOutcome } from '../../src/tools/mcp/errors.ts';
import { closeServers, createModelHouse, factsOf, say } from './model-house.ts';

afterEach(closeServers);

/** A run with one call to a tool that fails twice with this error. */
async function calledTwice(message: string, effect: FunctionTool['effect'], transient = TRANSIENT) {
  let calls = 0;
  const run = () =>
    ++calls > 2 ? 'sun' : { kind: 'failed' as const, failure: { kind: 'tool_error' as const, message } };
  const toolbox = createFunctionToolbox(systemClock, { 'weather.now': { effect, run } });
  const script = [
    say('json', ['weather.now', {}]),
    say('json', ['answer', { text: 'Done.', achieved: true }]),
  ];
  const house = await createModelHouse(script, {}, { toolbox });
  const { events } = await house.run({
    task: { timeoutMs: 60_000, attempts: 3, backoff: 1, transient: [...transient] },
  });
  return { calls, failed: factsOf(events, 'task_failed') };
}

describe('a transient error of a tool (A7)', () => {
  it.each([
    'HTTP 503',
    'Service Unavailable',
    'Error 429: slow down',
    'The upstream is busy, please try again later.',
    'read ECONNRESET',
    'Connection reset by peer',
    '一時的に利用できません',
    'request timed out',
  ])('is retried for a read and for an idempotent call: %s', async (message) => {
    for (const effect of ['read', 'idempotent'] as const) {
      const { calls, failed } = await calledTwice(message, effect);
      expect(calls).toBe(3);
      expect(failed).toMatchObject([{ retryAt: expect.any(Number) }, { retryAt: expect.any(Number) }]);
    }
  });

  it.each(['write', 'destructive'] as const)(
    'is not retried for a %s, which may have happened',
    async (effect) => {
      const { calls, failed } = await calledTwice('HTTP 503, try again', effect);
      expect(calls).toBe(1);
      expect(failed[0]?.retryAt).toBeUndefined();
    },
  );

  it.each(['There is no city Kyoto.', 'Row 15030 is locked', 'HTTP 404'])(
    'is another one: %s',
    async (message) => {
      expect((await calledTwice(message, 'read')).calls).toBe(1);
    },
  );

  it('is an internal error of an MCP server (JSON-RPC -32603), but not a wrong call (-32602)', () => {
    const internal = callErrorOutcome(new ProtocolError(-32603, 'oops'), 'weather');
    expect(internal).toMatchObject({ kind: 'failed', failure: { kind: 'tool_error', retryable: true } });
    const wrong = callErrorOutcome(new ProtocolError(-32602, 'oops'), 'weather');
    expect(wrong).not.toHaveProperty('failure.retryable');
  });

  it('is recognized by configured texts', async () => {
    expect((await calledTwice('E_BUSY', 'read', ['e_busy'])).calls).toBe(3);
    expect((await calledTwice('HTTP 503', 'read', [])).calls).toBe(1);
  });

  it('may say how long to wait', async () => {
    const { failed } = await calledTwice('429 Too Many Requests. Retry-After: 0.2', 'read');
    const [first] = failed;
    expect(failed).toHaveLength(2);
    expect(first?.retryAt).toBeGreaterThan(0);
  });
});
