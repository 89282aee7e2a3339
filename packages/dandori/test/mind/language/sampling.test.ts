import { afterEach, describe, expect, it } from 'vitest';
import type { LanguageMindOptions } from '../../../src/mind/language/options.ts';
import type { ModelReply } from '../../../src/testing/model-server/index.ts';
import { answer, closeServers, mind, start, think } from './asking.ts';
import { Story } from './thought.ts';

afterEach(closeServers);

const ok: ModelReply = { content: { actions: [answer] } };
const refusal = (parameter: string): ModelReply => ({
  status: 400,
  body: { error: { message: `Unsupported value: '${parameter}' does not support 0.1 with this model.` } },
});

/** What the model got in each request, for one thought each. */
async function sent(
  replies: readonly ModelReply[],
  options: Partial<LanguageMindOptions> = {},
  thoughts = 1,
): Promise<unknown[]> {
  const server = await start(replies);
  for (let count = 0; count < thoughts; count++) {
    const thinking = await mind(server, options).think(new Story().thought());
    expect(thinking.kind).toBe('decided');
  }
  return server.requests.map(({ body: { temperature, top_p, reasoning_effort } }) => ({
    temperature,
    top_p,
    reasoning_effort,
  }));
}

describe('how a model samples can be set', () => {
  it('is 0.1 without a setting, so that the same state leads to the same decision', async () => {
    expect(await sent([ok])).toEqual([{ temperature: 0.1 }]);
  });

  it('takes temperature, top_p and reasoning_effort from the settings', async () => {
    expect(await sent([ok], { temperature: 0.7, topP: 0.9, reasoningEffort: 'low' })).toEqual([
      { temperature: 0.7, top_p: 0.9, reasoning_effort: 'low' },
    ]);
  });

  it('adds no temperature of ours to a top_p of the user', async () => {
    expect(await sent([ok], { topP: 0.5 })).toEqual([{ top_p: 0.5 }]);
  });

  it('leaves out what the model refuses, at once and for the rest of the process', async () => {
    expect(await sent([refusal('temperature'), ok, ok], { name: 'refuses-temperature' }, 2)).toEqual([
      { temperature: 0.1 },
      {},
      {},
    ]);
    const both = { name: 'refuses-both', temperature: 0.3, topP: 0.9 };
    expect(await sent([refusal('temperature'), refusal('top_p'), ok, ok], both, 2)).toEqual([
      { temperature: 0.3, top_p: 0.9 },
      { top_p: 0.9 },
      {},
      {},
    ]);
  });

  it('leaves out a reasoning effort if the model does not know the parameter', async () => {
    const unknown = (message: string): ModelReply => ({ status: 400, body: { error: { message } } });
    const options = { temperature: 0.1, reasoningEffort: 'low' } as const;
    for (const [index, message] of [
      "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
      'Unrecognized request argument supplied: reasoning_effort',
      'Unknown parameter: reasoning_effort.',
    ].entries())
      expect(await sent([unknown(message), ok, ok], { ...options, name: `plain-${index}` }, 2)).toEqual([
        { temperature: 0.1, reasoning_effort: 'low' },
        { temperature: 0.1 },
        { temperature: 0.1 },
      ]);
  });

  it('does not ask for the tokens of a stream where the server refuses the question, as Mistral does', async () => {
    const detail = [{ type: 'extra_forbidden', loc: ['body', 'stream_options', 'include_usage'] }];
    const refused: ModelReply = { status: 422, body: { object: 'error', message: { detail } } };
    const server = await start([refused, ok, ok]);
    for (let count = 0; count < 2; count++) {
      const thinking = await mind(server, { name: 'mistral' }).think(new Story().thought());
      expect(thinking.kind).toBe('decided');
    }
    const asked = server.requests.map(({ body }) => body.stream_options);
    expect(asked).toEqual([{ include_usage: true }, undefined, undefined]);
  });

  it('fails as before if the refusal is about something else', async () => {
    const { thinking } = await think(refusal('max_tokens'));
    expect(thinking).toMatchObject({ kind: 'failed', failure: { retryable: false } });
  });

  it('names the setting if the model takes no such effort', async () => {
    const { thinking } = await think(refusal('reasoning_effort'), { reasoningEffort: 'xhigh' });
    expect(thinking).toMatchObject({
      failure: { message: expect.stringContaining('model.reasoning_effort') },
    });
  });
});
