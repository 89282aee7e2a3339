import { afterEach, describe, expect, it } from 'vitest';
import type { FunctionTool } from '../../../src/testing/function-toolbox.ts';
import type { RecordedRequest } from '../../../src/testing/model-server/index.ts';
import { closeRuns, promptOf, run } from './whole-run.ts';

afterEach(closeRuns);

const tool = (description: string): FunctionTool => ({ description, run: () => ({ ok: true }) });
const MANY: Record<string, FunctionTool> = {
  'weather.now': tool('Tells the weather of a city.'),
  'mail.send': tool('Sends a mail to somebody.'),
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `store${index % 3}.thing_${index}`,
      tool(`Gives thing ${index}.`),
    ]),
  ),
};
const goal = 'What is the weather in Kyoto?';
const operationIn = ({ body }: RecordedRequest) =>
  JSON.stringify(body.response_format).match(/"operation":\{[^}]*\}/)?.[0];

describe('more tools than a prompt can describe', () => {
  it('those that fit the goal are described, the others are found and called by name', async () => {
    const requests: RecordedRequest[] = [];
    const { state, parts } = await run({
      goal,
      turns: 2,
      tools: MANY,
      act: (turn, { promptText }) => {
        if (turn === 0)
          return [{ id: 't1', operation: 'tool.search', args: { query: 'send a mail', limit: 2 } }];
        expect(promptText).toMatch(/<result t1>[\s\S]*"name":"mail\.send"[\s\S]*"inputSchema"/);
        return [{ id: 't2', operation: 'mail.send', args: {} }];
      },
      seen: (request) => requests.push(request),
    });
    expect(state.tasks.get('t2')?.status).toBe('succeeded');
    const [first, ...later] = requests;
    expect(first?.promptText).toContain('\nweather.now:');
    expect(first?.promptText).toContain('\ntool.search:');
    expect(first?.promptText).not.toContain('mail.send');
    expect(first?.promptText).toContain(
      'Only the tools that seem to fit the goal are described. There are more; find them with tool.search and then call them by name. Tools by server: mail (1), store0 (20), store1 (20), store2 (20), weather (1).',
    );
    expect(operationIn(first as RecordedRequest)).toBe('"operation":{"type":"string"}');
    later.forEach((request, index) => {
      expect(promptOf(request).startsWith(promptOf(requests[index] as RecordedRequest))).toBe(true);
    });
    const [, started] = await parts.journal.read(state.run);
    expect(started).toMatchObject({
      type: 'decision_started',
      data: { offer: { tools: ['weather.now'], servers: { mail: 1 } } },
    });
  });

  it('by native calls, what was found can be called from then on', async () => {
    const requests: RecordedRequest[] = [];
    const { state } = await run({
      goal,
      turns: 2,
      dialect: 'tools',
      tools: MANY,
      act: (turn) =>
        turn === 0
          ? [{ id: 't1', operation: 'tool.search', args: { query: 'send a mail', limit: 1 } }]
          : [{ id: 't2', operation: 'mail.send', args: {} }],
      seen: (request) => requests.push(request),
    });
    expect(state.tasks.get('t2')?.status).toBe('succeeded');
    const sent = requests.map(({ body }) => JSON.stringify(body.tools));
    expect(sent[0]).toContain('weather_now');
    expect(sent[0]).toContain('tool_search');
    expect(sent[0]).not.toContain('mail_send');
    expect(sent[0]).not.toContain('thing_1');
    // Behind the others, although its name comes first: what the provider has in its cache stays as it was.
    expect(sent[1]?.startsWith((sent[0] as string).slice(0, -1))).toBe(true);
    expect(sent[1]).toContain('mail_send');
    expect(sent[2]).toBe(sent[1]);
  });

  it('by native calls, the mark of a tool that changes something is explained before it is found', async () => {
    const requests: RecordedRequest[] = [];
    await run({
      goal,
      turns: 1,
      dialect: 'tools',
      tools: { ...MANY, 'mail.send': { ...tool('Sends a mail to somebody.'), effect: 'write' } },
      act: () => [{ id: 't1', operation: 'tool.search', args: { query: 'send a mail', limit: 1 } }],
      seen: (request) => requests.push(request),
    });
    expect(JSON.stringify(requests[0]?.body.tools)).not.toContain('[write]');
    expect(JSON.stringify(requests[1]?.body.tools)).toContain('[write] Sends a mail');
    for (const { promptText } of requests) expect(promptText).toContain('In brackets before a description');
  });

  it('few tools are all described, and no search is offered', async () => {
    const requests: RecordedRequest[] = [];
    await run({
      goal,
      turns: 0,
      tools: { 'weather.now': tool('Weather.'), 'mail.send': tool('Mail.') },
      act: () => [],
      seen: (request) => requests.push(request),
    });
    expect(requests[0]?.promptText).toMatch(/\nmail\.send: [\s\S]*\nweather\.now: /);
    expect(requests[0]?.promptText).not.toContain('tool.search');
    expect(operationIn(requests[0] as RecordedRequest)).toContain('"mail.send","result.read","weather.now"');
  });
});

describe('tools that come and go', () => {
  it('are told in the conversation, and the instructions stay as they were', async () => {
    const requests: RecordedRequest[] = [];
    let turn = 0;
    const { state } = await run({
      goal,
      turns: 4,
      tools: { 'weather.now': tool('Weather.'), 'mail.send': tool('Sends a mail.') },
      act: (number) => [
        { id: `t${number + 1}`, operation: number < 2 ? 'weather.now' : 'mail.send', args: { number } },
      ],
      seen: (request, number) => {
        requests.push(request);
        turn = number + 1;
      },
      wrap: (toolbox) => {
        const all = toolbox.tools();
        const few = new Map([...all].filter(([name]) => name !== 'mail.send'));
        return { ...toolbox, tools: () => (turn < 2 ? few : all) };
      },
    });
    expect(state.tasks.get('t4')?.status).toBe('succeeded');
    const instructions = requests.map(({ body }) => body.messages?.[0]?.content);
    expect(new Set(instructions).size).toBe(1);
    expect(instructions[0]).not.toContain('mail.send');
    const said = requests.map(
      ({ promptText }) => promptText.split('These tools are available from now on:').length - 1,
    );
    expect(said).toEqual([0, 0, 1, 1, 1]);
    expect(operationIn(requests[1] as RecordedRequest)).toContain('weather.now');
    expect(operationIn(requests[2] as RecordedRequest)).toBe('"operation":{"type":"string"}');
    const messages = (index: number) => JSON.stringify(requests[index]?.body.messages).slice(0, -3);
    expect(messages(4).startsWith(messages(3))).toBe(true);
  });

  it('names a tool that is gone, so that the model does not call it again', async () => {
    const requests: RecordedRequest[] = [];
    let turn = 0;
    await run({
      goal,
      turns: 2,
      tools: { 'weather.now': tool('Weather.'), 'mail.send': tool('Sends a mail.') },
      act: (number) => [{ id: `t${number + 1}`, operation: 'weather.now', args: {} }],
      seen: (request, number) => {
        requests.push(request);
        turn = number + 1;
      },
      wrap: (toolbox) => {
        const all = toolbox.tools();
        const few = new Map([...all].filter(([name]) => name !== 'mail.send'));
        return { ...toolbox, tools: () => (turn < 1 ? all : few) };
      },
    });
    expect(requests[1]?.promptText).toContain('These tools are not available any more: mail.send.');
  });
});
