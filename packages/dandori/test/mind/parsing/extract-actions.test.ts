import { describe, expect, it } from 'vitest';
import { extractActions } from '../../../src/mind/parsing/extract-actions.ts';
import { parseJson } from '../../../src/model/json.ts';

const t1 = { id: 't1', operation: 'files.read', args: { path: 'a' } };
const t2 = { id: 't2', operation: 'files.read', args: { path: '${t1.next}' }, after: ['t1'] };
const list = JSON.stringify([t1, t2]);
const wrapped = JSON.stringify({ reasoning: 'to see', actions: [t1, t2] });

describe('actions are found whatever a model puts around them', () => {
  it.each([
    ['our own form', wrapped],
    ['elements', JSON.stringify({ elements: [t1, t2] })],
    ['tasks', JSON.stringify({ tasks: [t1, t2] })],
    ['a bare list', list],
    ['a fence', `\`\`\`json\n${wrapped}\n\`\`\``],
    [
      'prose and a fence',
      `Here's the plan [1], {x | x > 1} and [0, 1):\n\`\`\`\n${list}\n\`\`\`\nDone :] don't worry.`,
    ],
    ['thoughts in tags', `<think>Maybe [{"operation":"rm","args":{}}] or { ?</think>\n${wrapped}`],
    ['thoughts whose opening tag was swallowed', `Maybe [{"operation":"rm","args":{}}].\n</think>${list}`],
    ['an example before it', `An item is {"a": 1}.\n${wrapped}`],
    ['the same list twice', `${wrapped}\n${wrapped}`],
    [
      'keys in another case',
      JSON.stringify({
        Actions: [
          { ID: 't1', Operation: 'files.read', Args: t1.args },
          { Id: 't2', toolName: 'files.read', ARGUMENTS: t2.args, DependsOn: ['t1'] },
        ],
      }),
    ],
    ['one object a line', `${JSON.stringify(t1)}\n${JSON.stringify(t2)}\n`],
  ])('%s', (_, raw) => {
    expect(extractActions(raw)).toMatchObject({ ok: true, actions: [t1, t2] });
  });

  it('reads actions within an action like any other, so that 30 are seconds there too', () => {
    const inner = { id: 't1', operation: 'a.b', args: {}, timeout: 30, after: 't0' };
    const ours = { id: 't1', operation: 'a.b', args: {}, timeoutMs: 30_000, after: ['t0'] };
    const actions = [
      {
        id: 'r',
        operation: 'plan.revise',
        args: { replace: [inner], add: [{ operation: 'a.b' }], remove: ['t2'] },
      },
      { id: 'p', operation: 'plan.propose', args: { steps: [{ id: 's', tasks: [inner] }], tasks: [inner] } },
    ];
    expect(extractActions(JSON.stringify({ actions }))).toMatchObject({
      actions: [
        { args: { replace: [ours], add: [{ operation: 'a.b' }], remove: ['t2'] } },
        { args: { steps: [{ id: 's', tasks: [ours] }], tasks: [ours] } },
      ],
    });
  });

  it('reads a plan whose parts have other names', () => {
    const args = {
      goal_understanding: {
        main_objective: 'a trip',
        success_criteria: ['it is sunny'],
        constraints: 'today',
      },
      subtasks: [
        'look at the weather',
        { id: 2, title: 'count the money', depends_on: 1, complexity: 'Medium' },
        { name: 'pack', dependencies: ['1', 2], complexity: 'easy' },
      ],
    };
    expect(extractActions(JSON.stringify({ tool: 'plan.propose', params: args }))).toMatchObject({
      actions: [
        {
          args: {
            objective: 'a trip',
            success_criteria: ['it is sunny'],
            constraints: ['today'],
            steps: [
              { id: 's1', description: 'look at the weather' },
              { id: 's2', description: 'count the money', after: ['s1'], complexity: 'medium' },
              { description: 'pack', after: ['s1', 's2'] },
            ],
          },
        },
      ],
    });
  });

  it('keeps the reasoning that stands beside the list', () => {
    expect(extractActions(wrapped)).toMatchObject({ reasoning: 'to see' });
    expect(extractActions(JSON.stringify({ thought: 'hm', actions: [t1] }))).toMatchObject({
      reasoning: 'hm',
    });
  });

  it('takes one object for a list of one, and says so', () => {
    expect(extractActions(JSON.stringify(t1))).toEqual({
      ok: true,
      actions: [t1],
      repaired: 'one object taken as the list of actions',
    });
    expect(extractActions(JSON.stringify({ actions: t1 }))).toMatchObject({ ok: true, actions: [t1] });
  });

  it.each([
    ['a comma too many', wrapped.replace(']}', ',]}')],
    ['single quotes', wrapped.replaceAll('"', "'")],
    ['a comment', wrapped.replace('[', '[ // first\n')],
    ['a real newline inside a string', wrapped.replace('to see', 'to\nsee')],
    ['keys without quotes', wrapped.replace('"actions"', 'actions')],
  ])('repairs %s, and says so', (_, raw) => {
    expect(extractActions(raw)).toMatchObject({
      ok: true,
      actions: [t1, t2],
      repaired: 'broken JSON repaired',
    });
  });
});

describe('half a plan is never run as a whole one', () => {
  it('refuses every beginning of a plan, wherever it was cut', () => {
    for (const raw of [
      wrapped,
      list,
      `\`\`\`json\n${wrapped}`,
      JSON.stringify({ actions: [t1, t2] }, null, 2),
    ]) {
      for (let end = 1; end < raw.length; end++) {
        const extraction = extractActions(raw.slice(0, end));
        expect(
          extraction.ok && extraction.repaired !== 'plain text taken as the answer',
          raw.slice(0, end),
        ).toBe(false);
      }
    }
  });

  it('refuses what the provider says was cut, even where it looks complete', () => {
    expect(extractActions(wrapped, { isCut: true })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/cut/),
    });
    expect(extractActions('I was about to', { isCut: true })).toMatchObject({ ok: false });
  });

  it.each([
    [
      'a bracket too many after the first action',
      '{"actions":[{"operation":"a","args":{}}},{"operation":"b","args":{}}]}',
    ],
    ['a missing bracket', '{"actions":[{"operation":"a","args":{"x":1}]}'],
    ['two different lists', `${list}\n${JSON.stringify([t1])}`],
    ['a list and an action beside it', `${JSON.stringify([t1])}, ${JSON.stringify(t2)}`],
    ['actions with a comma between and no list', `${JSON.stringify(t1)}, ${JSON.stringify(t2)}`],
    ['a broken list before a good one', `{"actions": [{"operation" "a" : : }]}\n${list}`],
    ['half of a thought', '<think>Let me see'],
    ['arguments in a string that was cut', '[{"tool":"a","arguments":"{\\"x\\": {\\"y\\": 1}"}]'],
  ])('refuses %s', (_, raw) => {
    expect(extractActions(raw)).toMatchObject({ ok: false });
  });
});

describe('a refusal tells the model what to do', () => {
  it.each([
    ['', /empty/],
    ['{"actions":[]}', /empty.*answer/],
    ['{"actions":[{"args":{}}]}', /action 1 has no "operation".*\{"args"/],
    ['{"actions":[{"operation":"a"},"b"]}', /action 2 is not an object: "b"/],
    ['{"actions":[{"operation":"a","args":[1]}]}', /action 1 \(a\): "args" must be an object, not \[1\]/],
    ['{"actions":[{"operation":"a","args":"x"}]}', /"args" must be an object/],
    ['{"actions":[{"operation":"a","after":[{}]}]}', /"after"/],
    ['{"actions":[{"operation":"a","expect":[1]}]}', /"expect"/],
    ['{"actions":[{"operation":"answer","args":{}}]}', /"args" needs a "text"/],
    ['{"actions":[{"operation":"ask","args":{"text":"?"}}]}', /"args" needs a "question"/],
    ['{"result": 1}', /no list of actions.*"operation"/],
    ['{"actions": [{"operation" "a" : : }]}', /its JSON is broken: /],
  ])('%j', (raw, reason) => {
    expect(extractActions(raw)).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });
});

describe('no tool is called with values that the model did not write', () => {
  const call = (args: string) => `{"actions":[{"id":"t1","operation":"a.b","args":${args}}]}`;

  it.each(['{"n":[1e999]}', `{"n":${'9'.repeat(3_000)}}`])(
    'a number that no number can be is refused: %s',
    (args) => {
      expect(extractActions(call(args))).toEqual({
        ok: false,
        reason: expect.stringContaining('more than a number can be. Write it as text'),
      });
    },
  );

  it.each([
    ['{"id":12345678901234567890}', 12345678901234567890n],
    ['"{\\"id\\":9007199254740993}"', 9007199254740993n],
    ["{'id': -9007199254740993}", -9007199254740993n],
  ])('an integer stays the one that was written, however long: %s', (args, id) => {
    expect(extractActions(call(args))).toMatchObject({ ok: true, actions: [{ args: { id } }] });
  });

  it.each([
    '{"id":"12345678901234567890"}',
    '{"n":9007199254740992}',
    '{"n":12345678901234567000}',
    '{"n":1e300}',
  ])('one that stays as it is counts: %s', (args) => {
    expect(extractActions(call(args))).toMatchObject({ actions: [{ args: parseJson(args) }] });
  });

  it('arguments in a text may be no deeper than others', () => {
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    expect(extractActions(call(JSON.stringify(deep)))).toEqual({
      ok: false,
      reason: expect.stringContaining('nested more than 100 deep'),
    });
  });

  it.each(['constructor', 'toString', '__proto__'])(
    'an operation called %s has its own arguments',
    (operation) => {
      const text = `{"actions":[{"id":"t1","operation":"${operation}","args":{"a":1}}]}`;
      expect(extractActions(text)).toMatchObject({ ok: true, actions: [{ operation, args: { a: 1 } }] });
    },
  );
});

it('gives up on a text that takes too long to repair', () => {
  expect(extractActions(`{"actions":[${"'a'b".repeat(5_000)}]}`)).toMatchObject({ ok: false });
});

describe('the words that other models use are understood', () => {
  it.each([
    [
      { tool: 'a', arguments: { x: 1 } },
      { id: 't1', operation: 'a', args: { x: 1 } },
    ],
    [
      { name: 'a', parameters: { x: 1 } },
      { id: 't1', operation: 'a', args: { x: 1 } },
    ],
    [
      { type: 'tool_use', id: 'toolu_1', name: 'a', input: {} },
      { id: 'toolu_1', operation: 'a', args: {} },
    ],
    [
      { operation: 'a', args: '{"x": 1}' },
      { id: 't1', operation: 'a', args: { x: 1 } },
    ],
    [{ operation: 'a' }, { id: 't1', operation: 'a', args: {} }],
    [
      { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
      { id: 'call_1', operation: 'a', args: { x: 1 } },
    ],
    [
      { id: '', operation: 'a', args: null },
      { id: 't1', operation: 'a', args: {} },
    ],
    [
      { id: 7, operation: 'a', dependsOn: [1] },
      { id: 't7', operation: 'a', args: {}, after: ['t1'] },
    ],
    [
      { operation: 'a', depends_on: 't9' },
      { id: 't1', operation: 'a', args: {}, after: ['t9'] },
    ],
    [
      { operation: 'a', timeout: 2.5 },
      { id: 't1', operation: 'a', args: {}, timeoutMs: 2500 },
    ],
    [
      { operation: 'a', timeout: '500 ms' },
      { id: 't1', operation: 'a', args: {}, timeoutMs: 500 },
    ],
    [
      { operation: 'a', timeout: '2m' },
      { id: 't1', operation: 'a', args: {}, timeoutMs: 120_000 },
    ],
    [
      { operation: 'a', timeout: 'a while' },
      { id: 't1', operation: 'a', args: {} },
    ],
    [
      { operation: 'a', timeout: '30s', expect: 'ok' },
      { id: 't1', operation: 'a', args: {}, expect: 'ok', timeoutMs: 30_000 },
    ],
    [
      { operation: 'a', timeout: 0, expect: null, after: null },
      { id: 't1', operation: 'a', args: {} },
    ],
    [
      { operation: 'a', description: 'd', reasoning: 'r' },
      { id: 't1', operation: 'a', args: {}, description: 'd', reasoning: 'r' },
    ],
    [
      { tool: 'a', params: { x: 1 }, thought: 'hm' },
      { id: 't1', operation: 'a', args: { x: 1 }, reasoning: 'hm' },
    ],
    [
      { action: 'a', action_input: { x: 1 } },
      { id: 't1', operation: 'a', args: { x: 1 } },
    ],
    [
      { function: 'a', parameters: { x: 1 } },
      { id: 't1', operation: 'a', args: { x: 1 } },
    ],
    [
      { operation: 'a', id: 't2', x: 1, description: 'd' },
      { id: 't2', operation: 'a', args: { x: 1 }, description: 'd' },
    ],
    [{ 'a.b': { x: 1 } }, { id: 't1', operation: 'a.b', args: { x: 1 } }],
    [
      { action: 'Final Answer', action_input: 'Hello.' },
      { id: 't1', operation: 'answer', args: { text: 'Hello.' } },
    ],
    [
      { operation: 'answer', args: { message: 'Hello.' } },
      { id: 't1', operation: 'answer', args: { text: 'Hello.' } },
    ],
    [
      { operation: 'answer', args: 'Hello.' },
      { id: 't1', operation: 'answer', args: { text: 'Hello.' } },
    ],
    [
      { operation: 'answer', text: 'Hi', achieved: 'false' },
      { id: 't1', operation: 'answer', args: { text: 'Hi', achieved: false } },
    ],
    [
      { operation: 'answer', args: { text: 42 } },
      { id: 't1', operation: 'answer', args: { text: '42' } },
    ],
    [
      { operation: 'ask', args: { question: 'Which?', options: ['a'] } },
      { id: 't1', operation: 'ask', args: { question: 'Which?', options: ['a'] } },
    ],
  ])('%j', (element, action) => {
    expect(extractActions(JSON.stringify({ actions: [element] }))).toMatchObject({
      ok: true,
      actions: [action],
    });
  });

  it.each([
    '{"is_complete": false, "next_action": {"tool": "a.b", "params": {"x": 1}, "reasoning": "r"}}',
    '{"actions": {"t1": {"operation": "a.b", "args": {"x": 1}, "reasoning": "r"}}}',
    '{"action": {"tool": "a.b", "parameters": {"x": 1}, "reason": "r"}}',
    '```json\n{"actions": [{"operation": "a.b", "args": {"x": 1,}, "reasoning": "r", "expect": None},]}\n```',
    "{'actions': [{'id': 't1', 'name': 'a.b', 'arguments': {'x': 1}, 'reasoning': 'r'}]}",
    '{“actions”: [{“operation”: “a.b”, “args”: {“x”: 1}, “reasoning”: “r”}]}',
    '｛"operation"："a.b"，"args"：｛"x"：1｝，"reasoning"："r"｝',
    String.raw`"{\"actions\": [{\"operation\": \"a.b\", \"args\": {\"x\": 1}, \"reasoning\": \"r\"}]}"`,
    '{"function_call": {"name": "a.b", "arguments": "{\\"x\\": 1}", "reasoning": "r"}}',
    '{"functionCall": {"name": "a.b", "args": {"x": 1}, "reasoning": "r"}}',
    '{"plan": [{"tool": "a.b", "kwargs": {"x": 1}, "reasoning": "r"}]}',
    '{"response": {"actions": [{"operation": "a.b", "args": {"x": 1}, "reasoning": "r"}]}}',
    '{"tool_name": "a.b", "tool_args": {"x": 1}, "reasoning": "r"}',
    '{"operation": "a.b", "args": [{"name": "x", "value": 1}], "reasoning": "r"}',
  ])('one action in another form: %s', (raw) => {
    expect(extractActions(raw)).toMatchObject({
      ok: true,
      actions: [{ id: 't1', operation: 'a.b', args: { x: 1 }, reasoning: 'r' }],
    });
  });

  it('Python literals are values', () => {
    const raw = '{"actions": [{"operation": "a.b", "args": {"x": True, "y": None, "z": False}}]}';
    expect(extractActions(raw)).toMatchObject({ actions: [{ args: { x: true, y: null, z: false } }] });
  });

  it.each([
    '{"is_complete": true, "completion_message": "300"}',
    '{"reasoning": "r", "is_complete": true, "completion_message": "300", "actions": []}',
    '{"is_complete": true, "completion_message": "300", "next_action": null}',
    '{"final_answer": "300"}',
    '{"needs_tools": false, "response": "300"}',
    '{"action": "answer", "text": "300"}',
    '{"text": "300", "achieved": true}',
  ])('the end of the work in another form: %s', (raw) => {
    expect(extractActions(raw)).toMatchObject({
      ok: true,
      actions: [{ operation: 'answer', args: { text: '300' } }],
    });
  });

  it('the words beside calls in content blocks are left out', () => {
    const raw =
      '[{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "t1", "name": "a.b", "input": {"x": 1}}]';
    expect(extractActions(raw)).toMatchObject({ ok: true, actions: [{ operation: 'a.b', args: { x: 1 } }] });
  });

  it.each([
    '{"input": "…", "output": [{"name": "a.b", "arguments": {}}]}',
    '{"plan": [{"title": "Cook"}]}',
    '{"needs_tools": true, "response": "300"}',
  ])('data that only looks like it is no plan: %s', (raw) => {
    expect(extractActions(raw)).toMatchObject({ ok: false });
  });

  it('an incomplete text is no answer', () => {
    expect(extractActions('{"is_complete": false, "completion_message": "300"}')).toMatchObject({
      ok: false,
    });
  });

  it('numbers actions without an id by their place', () => {
    const extraction = extractActions('[{"operation":"a"},{"operation":"b"},{"id":"x","operation":"c"}]');
    expect(extraction.ok && extraction.actions.map(({ id }) => id)).toEqual(['t1', 't2', 'x']);
  });
});

describe('an answer in plain words is an answer', () => {
  it.each(['Es sind 300.', '300です。', 'See [1] and [the page](https://example.org).'])('%s', (text) => {
    expect(extractActions(`${text}\n`)).toEqual({
      ok: true,
      actions: [{ id: 't1', operation: 'answer', args: { text } }],
      repaired: 'plain text taken as the answer',
      isProse: true,
    });
  });

  it('without the thoughts before it', () => {
    expect(extractActions('<think>Hm. {</think>\nYes.')).toMatchObject({
      actions: [{ args: { text: 'Yes.' } }],
    });
  });

  it('may hold braces where only an answer was asked for', () => {
    const raw = 'The set is {x | x > 1} and [0, 1).';
    expect(extractActions(raw, { purpose: 'act' })).toMatchObject({ ok: false });
    expect(extractActions(raw, { purpose: 'answer' })).toMatchObject({
      ok: true,
      actions: [{ args: { text: raw } }],
    });
  });

  it('may stand in JSON under its name', () => {
    expect(extractActions('{"reasoning": "Done.", "answer": "300", "achieved": false}')).toEqual({
      ok: true,
      actions: [{ id: 't1', operation: 'answer', args: { text: '300', achieved: false } }],
      repaired: 'one object taken as the list of actions',
    });
    expect(extractActions('{"answer": ""}')).toMatchObject({ ok: false });
    expect(extractActions('{"actions": [{"operation": "a.b"}]} {"answer": "300"}')).toMatchObject({
      ok: false,
    });
  });

  it('is not made out of JSON that went wrong', () => {
    for (const raw of [
      '{"actions": [',
      '```json\n{"text": "x"',
      'Sure: {"operation": "rm"',
      '{"answer": {"x": 1}}',
      '{"answer": "x", "temperature": 3}',
    ]) {
      expect(extractActions(raw, { purpose: 'conclude' })).toMatchObject({ ok: false });
    }
  });
});
