import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../src/model/json.ts';
import type { InputResponse } from '../../src/run/state/held-calls.ts';
import { inputOutcome } from '../../src/tools/mcp/input.ts';
import { defineService } from '../../src/tools/service.ts';
import type { Call, InputRequest, Toolbox } from '../../src/tools/toolbox.ts';
import { nodeServer, openToolbox, succeeded, toCall, until } from './fixtures/calls.ts';
import { type DeskProcess, startDesk } from './fixtures/desk-process.ts';

const record = join(mkdtempSync(join(tmpdir(), 'dandori-')), 'record');
const env = { DESK_RECORD: record };
const EVERYTHING = join(
  import.meta.dirname,
  '../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
let toolbox: Toolbox;
let desks: DeskProcess[];

beforeAll(async () => {
  writeFileSync(record, '');
  desks = [await startDesk('legacy', { env }), await startDesk('modern', { env })];
  const stdio = nodeServer('desk-stdio.ts', env);
  toolbox = await openToolbox({
    mcpServers: {
      stdio,
      http: { url: desks[0]?.url ?? '' },
      modern: { ...stdio, args: [...stdio.args, 'modern'] },
      modern_http: { url: desks[1]?.url ?? '' },
      everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
    },
  });
  expect(toolbox.missing()).toEqual([]);
});
afterAll(async () => {
  await toolbox.close();
  for (const desk of desks) await desk[Symbol.asyncDispose]();
});

const recorded = () => readFileSync(record, 'utf8');

/** A call that is answered so, and what it asked. */
async function call(
  operation: string,
  args: JsonObject,
  respond: InputResponse | ((request: InputRequest) => InputResponse | Promise<InputResponse>),
  more: Partial<Call> = {},
) {
  const asked: InputRequest[] = [];
  const elicit = async (request: InputRequest) => {
    asked.push(request);
    return typeof respond === 'function' ? respond(request) : respond;
  };
  return { outcome: await toolbox.call(toCall(operation, args, { elicit, ...more })), asked };
}

const ACCEPT: InputResponse = { action: 'accept', content: { name: 'Aki', seats: 2 } };

describe.each(['stdio', 'http'])('a server of 2025 that asks while its call runs, over %s', (server) => {
  it.each([ACCEPT, { action: 'decline' }, { action: 'cancel' }] satisfies InputResponse[])(
    'is told what the person said: $action',
    async (response) => {
      const { outcome, asked } = await call(`${server}.book`, {}, response);
      expect(succeeded(outcome)).toEqual({ answers: [response] });
      expect(asked).toEqual([
        { text: 'Who is it for?', form: expect.objectContaining({ required: ['name'] }) },
      ]);
    },
  );

  it('asks two inputs were requested at once', async () => {
    const { outcome, asked } = await call(`${server}.book`, { ask: 'name,guest' }, ({ text }) => ({
      action: 'accept',
      content: { name: text },
    }));
    expect(asked).toHaveLength(2);
    expect(succeeded(outcome)).toEqual({
      answers: [
        { action: 'accept', content: { name: 'Who is it for?' } },
        { action: 'accept', content: { name: 'Who else comes?' } },
      ],
    });
  });

  it('shows a page, and hears that a person has been there', async () => {
    const { outcome, asked } = await call(`${server}.book`, { ask: 'page' }, { action: 'accept' });
    expect(asked).toEqual([{ text: 'Please pay here.', url: 'https://example.com/pay?id=7' }]);
    expect(succeeded(outcome)).toEqual({ answers: [{ action: 'accept' }] });
  });

  it('may have a form that is not flat', async () => {
    const content = { at: { row: 3 } };
    const { outcome } = await call(`${server}.book`, { ask: 'nested' }, { action: 'accept', content });
    expect(outcome.kind).not.toBe('lost');
  });

  it.each([
    ['script', 'its url is not an http or https URL'],
    ['hidden', 'its url is not an http or https URL'],
    ['secret', 'asks for a secret'],
    ['broken', 'the schema of its form cannot be used'],
    ['odd', 'mode'],
    ['nothing', ''],
    ['sampling', ''],
  ])('is refused %s and told why, and the user is not asked', async (ask, why) => {
    const { outcome, asked } = await call(`${server}.book`, { ask }, ACCEPT);
    expect(asked).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { message: expect.stringContaining(why) } });
    // The connection has taken no harm.
    expect(succeeded((await call(`${server}.book`, {}, ACCEPT)).outcome)).toEqual({ answers: [ACCEPT] });
  });

  it('cannot flood or rewrite the screen of the user', async () => {
    const { asked } = await call(`${server}.book`, { ask: 'long' }, ACCEPT);
    expect(asked[0]?.text).toMatch(/^\[2Jx{3997}…$/);
  });

  it('wants a page seen before it is called again', async () => {
    const args = { ask: 'url_error', id: server };
    const { outcome } = await call(`${server}.book`, args, ACCEPT);
    expect(outcome).toEqual({
      kind: 'input_wanted',
      requests: [{ text: 'Please log in.', url: 'https://example.com/login' }],
    });
    const inputs = { responses: {} };
    expect(succeeded((await call(`${server}.book`, args, ACCEPT, { inputs })).outcome)).toEqual({
      seen: true,
    });
  });

  it('wants a page seen and names none: it has failed', async () => {
    const { outcome } = await call(`${server}.book`, { ask: 'no_url' }, ACCEPT);
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringContaining('does not say which') },
    });
  });

  it('hears of the cancel while a person is asked', async () => {
    const controller = new AbortController();
    const before = recorded().split('cancelled look').length;
    const { outcome } = await call(
      `${server}.look`,
      {},
      () => {
        controller.abort('cancelled');
        return new Promise(() => {});
      },
      { signal: controller.signal },
    );
    expect(outcome).toMatchObject({ kind: 'lost', cause: 'cancelled' });
    await until(() => recorded().split('cancelled look').length > before);
  });

  it('gets no answer if no user can be asked', async () => {
    const { outcome } = await call(`${server}.book`, {}, ACCEPT, { elicit: undefined });
    expect(succeeded(outcome)).toEqual({ answers: [{ action: 'cancel' }] });
  });
});

describe('two calls of one server that ask at the same time', () => {
  const both = (server: string, users: [string, string]) => {
    let open = 0;
    return Promise.all(
      (['name', 'guest'] as const).map((ask, index) =>
        call(
          `${server}.look`,
          { ask },
          async ({ text }) => {
            open++;
            await until(() => open === 2);
            return { action: 'accept', content: { name: text } };
          },
          { userId: users[index] },
        ),
      ),
    );
  };

  it('are told apart over HTTP, for every user', async () => {
    const [name, guest] = await both('http', ['aki', 'ben']);
    expect(name?.asked.map(({ text }) => text)).toEqual(['Who is it for?']);
    expect(guest?.asked.map(({ text }) => text)).toEqual(['Who else comes?']);
  });

  it('are both answered over stdio', async () => {
    const [name, guest] = await both('stdio', ['aki', 'aki']);
    expect(succeeded(name?.outcome as never)).toEqual({
      answers: [{ action: 'accept', content: { name: 'Who is it for?' } }],
    });
    expect(succeeded(guest?.outcome as never)).toEqual({
      answers: [{ action: 'accept', content: { name: 'Who else comes?' } }],
    });
  });

  it('ask nothing over stdio if they are called for different users', async () => {
    const holding = new AbortController();
    const held = call('stdio.wait', {}, ACCEPT, { userId: 'ben', signal: holding.signal });
    await until(() => recorded().endsWith('called wait\n'));
    const { outcome, asked } = await call('stdio.book', {}, ACCEPT, { userId: 'aki' });
    expect(asked).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'failed' });
    holding.abort();
    await held;
  });
});

describe.each(['modern', 'modern_http'])('a server of 2026 (%s) that ends a call to ask', (server) => {
  it('says what it wants, and is called again with it and with its own state', async () => {
    const { outcome } = await call(`${server}.book`, { ask: 'name,page' }, ACCEPT);
    expect(outcome).toEqual({
      kind: 'input_wanted',
      requests: [
        { name: 'name', text: 'Who is it for?', form: expect.objectContaining({ type: 'object' }) },
        { name: 'page', text: 'Please pay here.', url: 'https://example.com/pay?id=7' },
      ],
      state: 'asked book',
    });
    const responses = { name: ACCEPT, page: { action: 'decline' as const } };
    const inputs = { responses, state: 'asked book' };
    const again = await call(`${server}.book`, { ask: 'name,page' }, ACCEPT, { inputs });
    expect(succeeded(again.outcome)).toEqual({ answers: responses, state: 'asked book' });
  });

  it.each([
    ['secret', 'asks for a secret'],
    ['script', 'its url'],
    ['odd', 'mode'],
    ['nothing', ''],
  ])('is not called again for %s, and the failure says why', async (ask, why) => {
    const { outcome } = await call(`${server}.book`, { ask }, ACCEPT);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { message: expect.stringContaining(why) } });
  });

  it('is asked again where it only puts the call off', async () => {
    const { outcome } = await call(`${server}.book`, { ask: 'later' }, ACCEPT);
    expect(succeeded(outcome)).toEqual({ answers: {}, state: 'later' });
  });
});

describe('what a server may not ask of a client', () => {
  it.each([
    [
      { thought: { method: 'sampling/createMessage', params: {} } },
      'sampling/createMessage is not supported',
    ],
    [{ folders: { method: 'roots/list' } }, 'roots/list is not supported'],
    [{ odd: 7 }, 'is not supported'],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`r${index}`, {}])),
      '21 inputs were requested at once',
    ],
  ])('fails the call with the reason', (inputRequests, why) => {
    const outcome = inputOutcome({ inputRequests }, 'desk', () => []);
    expect(outcome).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringMatching(`^desk asks for input that is not allowed: .*${why}`) },
    });
  });

  it('is refused with a state that is no text or too large', () => {
    for (const requestState of [7, 'x'.repeat(300_000)])
      expect(inputOutcome({ requestState }, 'desk', () => [])).toMatchObject({
        failure: { kind: 'invalid_result' },
      });
  });
});

describe('a service method that calls a tool which asks', () => {
  const service = (tool: string) =>
    defineService({
      name: 'host',
      methods: {
        welcome: {
          description: 'Books for a guest',
          effect: 'write',
          calls: [tool],
          input: z.object({ ask: z.string() }),
          run: async ({ ask }, context) => ({ booked: await context.call(tool, { ask }) }),
        },
      },
    });

  it.each(['', 'modern'])('is held open while the person is asked: %s', async (era) => {
    const stdio = nodeServer('desk-stdio.ts', env);
    const own = await openToolbox({
      mcpServers: { desk: { ...stdio, args: [...stdio.args, era] } },
      services: [service('desk.book')],
    });
    const asked: InputRequest[] = [];
    const elicit = async (request: InputRequest) => {
      asked.push(request);
      return ACCEPT;
    };
    const outcome = await own.call(toCall('host.welcome', { ask: 'name' }, { elicit }));
    await own.close();
    expect(asked.map(({ text }) => text)).toEqual(['Who is it for?']);
    expect(JSON.stringify(succeeded(outcome))).toContain('Aki');
  });
});

describe('a tool that is not trusted, inside a trusted method', () => {
  it.each(['', 'modern'])(
    'does not ask the user: the user would take its words for the method’s: %s',
    async (era) => {
      const stdio = nodeServer('desk-stdio.ts', env);
      const welcome = defineService({
        name: 'host',
        methods: {
          welcome: {
            description: 'welcomes a guest',
            effect: 'write',
            trusted: true,
            calls: ['desk.book'],
            input: z.object({}),
            run: async (_, context) => ({ booked: await context.call('desk.book', { ask: 'name' }) }),
          },
        },
      });
      const own = await openToolbox({
        mcpServers: { desk: { ...stdio, args: [...stdio.args, era] } },
        services: [welcome],
      });
      const asked: InputRequest[] = [];
      const elicit = async (request: InputRequest) => {
        asked.push(request);
        return ACCEPT;
      };
      const outcome = await own.call(toCall('host.welcome', {}, { elicit }));
      await own.close();
      expect(asked).toEqual([]);
      expect(JSON.stringify(outcome)).not.toContain('Aki');
    },
  );
});

describe('a third-party server (server-everything)', () => {
  it('asks with a form', async () => {
    const content = { name: 'Aki' };
    const { outcome, asked } = await call(
      'everything.trigger-elicitation-request',
      {},
      {
        action: 'accept',
        content,
      },
    );
    expect(asked[0]?.form).toMatchObject({ type: 'object' });
    expect(JSON.stringify(succeeded(outcome))).toContain('Aki');
  });

  it('asks with a page, and wants one seen first', async () => {
    const args = { url: 'https://example.com/x' };
    const { asked, outcome } = await call('everything.trigger-url-elicitation', args, { action: 'accept' });
    expect(asked[0]?.url).toBe('https://example.com/x');
    expect(JSON.stringify(succeeded(outcome))).toContain('completed');
    const first = await call('everything.trigger-url-elicitation', { ...args, errorPath: true }, ACCEPT);
    expect(first.outcome).toMatchObject({
      kind: 'input_wanted',
      requests: [{ url: 'https://modelcontextprotocol.io/' }],
    });
  });
});
