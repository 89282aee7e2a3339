import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Toolbox } from '../../src/tools/index.ts';
import { fixture, nodeServer, openToolbox, script, succeeded, toCall, until } from './fixtures/calls.ts';

const SECRET = 'hunter2-hunter2';
const folder = mkdtempSync(join(tmpdir(), 'dandori-'));

/** The least that a server must say, without the half second that an SDK takes to load. */
const MINIMAL = readFileSync(fixture('minimal.js'), 'utf8');

describe('a server that does not start leaves the others alone and says why', () => {
  it('each in its own words, none with a secret, and all within the time limit', async () => {
    const logged: string[] = [];
    const env = { API_KEY: SECRET };
    const open = (timeoutMs: number) =>
      openToolbox({
        log: (message) => logged.push(message),
        secrets: ['from-the-config'],
        mcpServers: {
          good: script(MINIMAL),
          absent: { command: 'no-such-command-anywhere' },
          misplaced: { command: 'node', cwd: '/no/such/folder' },
          forbidden: { command: fixture('minimal.js') },
          quitter: script(
            `console.error('bad key ' + process.env.API_KEY + ' from-the-config'); process.exit(7)`,
            env,
          ),
          babbler: {
            ...script(`setInterval(() => console.log('hello ' + process.env.API_KEY), 5)`, env),
            timeoutMs,
          },
          silent: { ...script(`process.stdin.resume(); console.error('waiting')`), timeoutMs },
          shouter: {
            ...script(`setInterval(() => process.stdout.write('x'.repeat(1e5)), 1)`),
            timeoutMs,
          },
          confused: {
            ...script(`process.stdin.on('data', () => console.log('{"jsonrpc":"2.0","id":0,"result":7}'))`),
            timeoutMs,
          },
        },
      });
    const reasonsIn = (one: Toolbox): Record<string, string> =>
      Object.fromEntries(one.missing().map(({ server, reason }) => [server, reason]));
    const hasSpoken = ({ babbler = '', silent = '', shouter = '' }: Record<string, string>) =>
      babbler.includes('hello') && silent.includes('waiting') && FLOODED.test(shouter);
    // On a busy machine a process needs longer for its first word.
    let limit = 1_000;
    let toolbox = await open(limit);
    while (limit < 300_000 && !hasSpoken(reasonsIn(toolbox))) {
      await toolbox.close();
      limit *= 2;
      toolbox = await open(limit);
    }
    const reasons = reasonsIn(toolbox);
    expect(Object.keys(reasons).sort()).toEqual([
      'absent',
      'babbler',
      'confused',
      'forbidden',
      'misplaced',
      'quitter',
      'shouter',
      'silent',
    ]);
    expect(reasons.absent).toBe('the command "no-such-command-anywhere" was not found');
    expect(reasons.misplaced).toBe('its directory /no/such/folder does not exist');
    expect(reasons.forbidden).toMatch(/is not executable/);
    expect(reasons.quitter).toBe('it exited with code 7; on stderr: bad key [secret] [secret]');
    expect(reasons.babbler).toBe(
      `it did not answer within ${limit / 1_000} s; on stdout it wrote something that is not MCP: hello [secret]`,
    );
    expect(reasons.silent).toBe(`it did not answer within ${limit / 1_000} s; on stderr: waiting`);
    expect(reasons.shouter).toMatch(FLOODED);
    expect(reasons.confused).toBeTruthy();
    expect(JSON.stringify([reasons, logged])).not.toContain(SECRET);

    expect(succeeded(await toolbox.call(toCall('good.pid')))).toBeTypeOf('string');
    expect(await toolbox.call(toCall('quitter.anything'))).toMatchObject({
      kind: 'failed',
      failure: { kind: 'unavailable', retryable: true },
    });
    await toolbox.close();
  });
});

const FLOODED =
  /^it printed \d+ KB that is not JSON-RPC, and was stopped; a stdio server must write only MCP messages to stdout/;

describe('a server that is no MCP server at all', () => {
  it('is given up at once where it floods stdout, however long it may take to start', async () => {
    const toolbox = await openToolbox({
      mcpServers: {
        yes: { command: 'yes', timeoutMs: 2 ** 30 },
        endless: { command: 'sh', args: ['-c', 'yes | tr -d "\\n"'], timeoutMs: 2 ** 30 },
        good: script(MINIMAL),
      },
    });
    const reasons = Object.fromEntries(toolbox.missing().map(({ server, reason }) => [server, reason]));
    expect(reasons).toEqual({ yes: expect.stringMatching(FLOODED), endless: expect.stringMatching(FLOODED) });
    expect(succeeded(await toolbox.call(toCall('good.pid')))).toBeTypeOf('string');
    await toolbox.close();
  });

  it('is said to send back what it is sent, as cat does', async () => {
    const toolbox = await openToolbox({ mcpServers: { cat: { command: 'cat' } } });
    expect(toolbox.missing()[0]?.reason).toBe('it echoes its input, so it is not an MCP server');
    await toolbox.close();
  });

  it('says how it ended where it had closed its input before', async () => {
    const command = 'exec 0<&-; sleep 0.5; exit 7';
    const toolbox = await openToolbox({ mcpServers: { deaf: { command: 'sh', args: ['-c', command] } } });
    expect(toolbox.missing()[0]?.reason).toBe('it exited with code 7');
    await toolbox.close();
  });
});

describe('a server that says more than MCP while it works', () => {
  it('may log on stdout for ever, a little with each answer', async () => {
    const chatty = `setInterval(() => {}, 1e6); const write = process.stdout.write.bind(process.stdout); process.stdout.write = (text) => write('x'.repeat(1e5) + '\\n' + text); ${MINIMAL}`;
    const toolbox = await openToolbox({ mcpServers: { chatty: script(chatty) } });
    const first = succeeded(await toolbox.call(toCall('chatty.pid')));
    for (let count = 0; count < 6; count += 1)
      expect(succeeded(await toolbox.call(toCall('chatty.pid')))).toBe(first);
    await toolbox.close();
  });

  it('is ended where it begins to flood stdout, and its calls are lost with the reason', async () => {
    const flooding = `${MINIMAL}; run.pid = () => require('node:child_process').execFileSync('yes', { stdio: 'inherit' });`;
    const toolbox = await openToolbox({ mcpServers: { late: script(flooding) } });
    const outcome = await toolbox.call(toCall('late.pid'));
    expect(outcome).toMatchObject({ kind: 'lost', cause: 'connection_lost' });
    expect(outcome).toHaveProperty('message', expect.stringContaining('that is not JSON-RPC'));
    await toolbox.close();
  });

  it('is heard although it floods stderr', async () => {
    const command = `yes >&2 & exec "$0" -e "$1"`;
    const toolbox = await openToolbox({
      mcpServers: {
        noisy: { command: 'sh', args: ['-c', command, process.execPath, MINIMAL] },
        good: script(MINIMAL),
      },
    });
    expect(toolbox.missing()).toEqual([]);
    expect(succeeded(await toolbox.call(toCall('noisy.pid')))).toBeTypeOf('string');
    expect(succeeded(await toolbox.call(toCall('good.pid')))).toBeTypeOf('string');
    const outcome = await toolbox.call(toCall('noisy.die'));
    expect(outcome).toHaveProperty('message', expect.stringMatching(/on stderr: (y\n){4}y$/));
    await toolbox.close();
  });
});

describe('a server that dies', () => {
  it('loses the calls that it had, is started again, and takes the next ones', async () => {
    const changes: number[] = [];
    const toolbox = await openToolbox({
      mcpServers: {
        workshop: nodeServer('workshop-stdio.ts', {
          WORKSHOP_TOKEN: SECRET,
          WORKSHOP_RECORD: join(folder, 'record'),
        }),
        good: script(MINIMAL),
      },
      onChange: () => changes.push(toolbox.missing().length),
    });
    const before = toolbox.tools();
    const waiting = toolbox.call(toCall('workshop.wait', { name: 'a' }));
    const dying = toolbox.call(toCall('workshop.die'));
    for (const outcome of [await waiting, await dying]) {
      expect(outcome).toMatchObject({ kind: 'lost', cause: 'connection_lost' });
      expect(outcome).toHaveProperty(
        'message',
        expect.stringContaining('it exited with code 3; on stderr: the roof fell in, token [secret]'),
      );
    }
    expect(toolbox.missing()).toEqual([
      { server: 'workshop', reason: expect.stringContaining('it exited with code 3') },
    ]);
    expect(await toolbox.call(toCall('workshop.echo', { text: 'a' }))).toMatchObject({
      kind: 'failed',
      failure: { kind: 'unavailable', retryable: true },
    });
    // A plan that is made at this moment still compiles.
    expect(toolbox.tools().has('workshop.echo')).toBe(true);
    expect(succeeded(await toolbox.call(toCall('good.pid')))).toBeTypeOf('string');

    await until(() => toolbox.missing().length === 0);
    expect(succeeded(await toolbox.call(toCall('workshop.echo', { text: 'back' })))).toBe('back');
    expect(changes).toEqual([1, 0]);
    expect(toolbox.tools().get('workshop.echo')).toBe(before.get('workshop.echo'));
    await toolbox.close();
  });

  it('for good takes its tools with it, so that no plan uses them', async () => {
    const marker = join(folder, 'once');
    const once = `const fs = require('node:fs'); if (fs.existsSync(${JSON.stringify(marker)})) process.exit(9); fs.writeFileSync(${JSON.stringify(marker)}, ''); ${MINIMAL}`;
    const toolbox = await openToolbox({ mcpServers: { brief: script(once) } });
    expect(toolbox.tools().size).toBe(4);
    await toolbox.call(toCall('brief.die'));
    await until(() => toolbox.tools().size === 0);
    expect(toolbox.missing()[0]?.reason).toContain('code 9');
    await toolbox.close();
  });
});

describe('closing', () => {
  it('ends every server at once, even one that ignores its input and SIGTERM, and what it started', async () => {
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6); ${MINIMAL}`;
    const toolbox = await openToolbox({
      mcpServers: {
        good: script(MINIMAL),
        stubborn: script(stubborn),
        retrying: { command: 'no-such-command' },
      },
    });
    const pids = [
      Number(succeeded(await toolbox.call(toCall('good.pid')))),
      Number(succeeded(await toolbox.call(toCall('stubborn.pid')))),
      Number(succeeded(await toolbox.call(toCall('stubborn.spawn')))),
    ];
    expect(pids.every(isAlive)).toBe(true);
    const waiting = toolbox.call(toCall('good.wait'));
    await toolbox.close();
    expect(await waiting).toMatchObject({ kind: 'lost', cause: 'connection_lost' });
    await until(() => !pids.some(isAlive));
    expect(await toolbox.call(toCall('good.pid'))).toMatchObject({
      kind: 'failed',
      failure: { kind: 'unavailable' },
    });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie keeps its pid until its parent waits for it.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('an answer that is no JSON-RPC ends its call at once', () => {
  const odd = (line: string) =>
    MINIMAL.replace(
      "require('node:readline')",
      `const odd = (id) => ${line};\nrequire('node:readline')`,
    ).replace(
      '|| params?.name === ',
      "|| (params?.name === 'pid' && (console.log(odd(id)), true)) || params?.name === ",
    );

  it.each<[string, string, RegExp]>([
    ['a broken line', '`{"jsonrpc":"2.0","id":${id},"result":{"content":[}`', /not JSON/],
    ['a line that is cut', '`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"te`', /not JSON/],
    ['no result', '`{"jsonrpc":"2.0","id":${id}}`', /neither a result nor an error/],
    ['a result that is a text', '`{"jsonrpc":"2.0","id":${id},"result":"yes"}`', /not an object/],
    ['a result that is null', '`{"jsonrpc":"2.0","id":${id},"result":null}`', /not an object/],
    ['a result that is a list', '`{"jsonrpc":"2.0","id":${id},"result":[]}`', /not an object/],
    ['another version', '`{"jsonrpc":"1.0","id":${id},"result":{}}`', /JSON-RPC 2\.0/],
    ['no version', '`{"id":${id},"result":{"content":[]}}`', /JSON-RPC 2\.0/],
    ['both', '`{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"x"}}`', /both/],
    ['an odd error', '`{"jsonrpc":"2.0","id":${id},"error":"no"}`', /without a code/],
    ['the id of no request', '`{"jsonrpc":"2.0","id":99999,"result":{"content":[]}}`', /id of no request/],
    [
      'an id that is no number',
      '`{"jsonrpc":"2.0","id":"call-1","result":{"content":[]}}`',
      /id of no request/,
    ],
    [
      'lines that are cut',
      '`{\\n  "jsonrpc": "2.0",\\n  "id": ${id},\\n  "result": {\\n    "content": [\\n`',
      /not JSON/,
    ],
    [
      'lines that are broken',
      '`{\\n  "jsonrpc": "2.0",\\n  "id": ${id},\\n  "result": { "content": [} }\\n}`',
      /not JSON/,
    ],
    [
      'an error for no request',
      '`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`',
      /what\?/,
    ],
  ])('%s', async (_name, line, message) => {
    const toolbox = await openToolbox({ mcpServers: { odd: script(odd(line)) } });
    // There is no timeout here: a call that waits for one fails the test.
    const outcome = await toolbox.call(toCall('odd.pid'));
    expect(outcome).toMatchObject({ kind: 'failed', failure: { message: expect.stringMatching(message) } });
    await toolbox.close();
  });

  it('an answer under an id as text, in a list, or over several lines, is an answer', async () => {
    for (const line of [
      'JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "ok" }] } }, null, 2)',
      '"{ starting\\n{\\n" + JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "ok" }] } }, null, "\\t")',
      '`{"jsonrpc":"2.0","id":"${id}","result":{"content":[{"type":"text","text":"ok"}]}}`',
      '`[{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"ok"}]}}]`',
      '`{"jsonrpc":"2.0","id":99999,"result":{}}\\n{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"ok"}]}}`',
    ]) {
      const toolbox = await openToolbox({ mcpServers: { odd: script(odd(line)) } });
      expect(succeeded(await toolbox.call(toCall('odd.pid')))).toBe('ok');
      await toolbox.close();
    }
  });
});

describe('a call that asks for input without end', () => {
  it('is given up, and costs what a hundred questions cost', async () => {
    const asking = MINIMAL.replace(
      '|| params?.name === ',
      `|| (params?.name === 'pid' && (ask(), true)) || params?.name === `,
    )
      .replace(
        "require('node:readline')",
        `const ask = () => { for (let n = 0; n < 20_000; n++) console.log(JSON.stringify({ jsonrpc: '2.0', id: 'q' + n, method: 'elicitation/create',
        params: { message: 'who? ' + n, requestedSchema: { type: 'object', properties: { ['name' + n]: { type: 'string' } } } } })) };\nrequire('node:readline')`,
      )
      .replace(
        'const { id, method, params } = JSON.parse(line);',
        'const { id, method, params } = JSON.parse(line); if (!method) return;',
      );
    const toolbox = await openToolbox({ mcpServers: { nosy: script(asking) } });
    let asked = 0;
    const outcome = await toolbox.call(
      toCall(
        'nosy.pid',
        {},
        {
          elicit: async () => {
            asked += 1;
            return { action: 'decline' };
          },
        },
      ),
    );
    expect(asked).toBe(100);
    expect(outcome).toMatchObject({ kind: 'lost', message: expect.stringContaining('asked for input') });
    await toolbox.close();
  });
});

describe('an answer that is not as MCP says ends the call at once', () => {
  /** Answers each call with the text in its arguments, where `ID` is the id of the call. */
  const ECHO = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    const result = { initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1' } }, 'tools/list': { tools: [{ name: 'say', inputSchema: { type: 'object' } }] } }[method];
    if (result) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
    else if (params?.arguments?.mute) require('node:fs').closeSync(1);
    else if (params?.arguments) console.log(params.arguments.text.replaceAll('ID', id));
  })`;
  const said = async (args: JsonObject) => {
    const toolbox = await openToolbox({ mcpServers: { echo: script(ECHO) } });
    try {
      return await toolbox.call(toCall('echo.say', args));
    } finally {
      await toolbox.close();
    }
  };
  const answer = (result: string, more = '') => `{"jsonrpc":"2.0","id":ID${more},"result":${result}}`;

  it.each([
    ['a log line in front', `INFO ${answer('{"content":[]}')}`],
    ['the quotes of Python', "{'jsonrpc': '2.0', 'id': ID, 'result': {}}"],
    ['a result of an unknown type', answer('{"resultType":"later"}')],
    ['a broken request for input', answer('{"resultType":"input_required","inputRequests":"name"}')],
    ['an error that is not said as one', answer('{"content":[],"isError":"yes"}')],
  ])('%s', async (_, text) => {
    expect(await said({ text })).not.toHaveProperty('kind', 'succeeded');
  });

  it.each([
    ['an unknown member', answer('{"content":[{"type":"text","text":"a"}]}', ',"__proto__":{"b":1}'), 'a'],
    ['a method', answer('{"content":[{"type":"text","text":"a"}]}', ',"method":"tools/call"'), 'a'],
    ['content that is a text', answer('{"content":"a"}'), 'a'],
  ])('with %s it is still read', async (_, text, expected) => {
    expect(succeeded(await said({ text }))).toEqual(expected);
  });

  it('of a server that closes its output, none is waited for', async () => {
    expect(await said({ mute: true })).toMatchObject({ kind: 'lost' });
  });
});

it('a server of 2025 that asks for input in the way of 2026 is answered, and its call does not count as done', async () => {
  const asking = script(`
    const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize')
        send({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'a', version: '1' } } });
      if (method === 'tools/list') send({ id, result: { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] } });
      if (method !== 'tools/call') return;
      const { inputResponses: given, requestState: state } = params;
      const form = { type: 'object', properties: { sum: { type: 'integer' } } };
      const request = { method: 'elicitation/create', params: { message: 'How much?', requestedSchema: form } };
      if (given === undefined)
        send({ id, result: { resultType: 'input_required', inputRequests: { sum: request }, requestState: 's1' } });
      else send({ id, result: { content: [{ type: 'text', text: state + ' ' + given.sum.content.sum }] } });
    });`);
  const toolbox = await openToolbox({ mcpServers: { asking } });
  const wanted = await toolbox.call(toCall('asking.pay'));
  expect(wanted).toMatchObject({ kind: 'input_wanted', requests: [{ name: 'sum', text: 'How much?' }] });
  const responses = { sum: { action: 'accept' as const, content: { sum: 5 } } };
  const paid = await toolbox.call(toCall('asking.pay', {}, { inputs: { responses, state: 's1' } }));
  expect(succeeded(paid)).toBe('s1 5');
  await toolbox.close();
});
