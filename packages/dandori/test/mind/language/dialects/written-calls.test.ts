import { describe, expect, it } from 'vitest';
import { jsonDialect } from '../../../../src/mind/language/dialects/json.ts';
import { toolsDialect } from '../../../../src/mind/language/dialects/native.ts';
import { judgeOutput } from '../../../../src/mind/language/mind.ts';
import type { FinishReason } from '../../../../src/mind/language/wire/wire.ts';
import { Story } from '../thought.ts';

/** Something was done, so that no announcement is asked about again. */
const done = new Story().decided([{ id: 't1', operation: 'places.find', args: { q: 'Nara' } }], { t1: 'x' });

const output = (text: string, finishReason: FinishReason = 'stop') => ({
  text,
  thoughts: '',
  calls: [],
  finishReason,
  usage: undefined,
  error: undefined,
});

/** What a text without a native call is taken for. The tools are `places.find` and `weather.now`. */
function taken(text: string, dialect: 'tools' | 'json' = 'tools', finishReason: FinishReason = 'stop') {
  const judged = judgeOutput(
    output(text, finishReason),
    done.thought(),
    dialect === 'tools' ? toolsDialect : jsonDialect,
  );
  if ('failure' in judged) return judged.failure.kind;
  return judged.actions.map(({ operation }) => operation).join(' ');
}

/** Calls that were cut or are broken, in the words of all sorts of models. */
const BROKEN: Readonly<Record<string, string>> = {
  'a fraction where a number must be':
    '<tool_call>{"name": "places_find", "arguments": {"q": "Kyoto", "b": 5/18}}</tool_call>',
  'the same without its mark': 'I look it up. {"name": "places_find", "arguments": {"q": 5/18}}',
  'the same in a fence': 'I look it up.\n```json\n{"name": "places_find", "arguments": {"q": 5/18}}\n```',
  'a name without its server': 'Let me see: {"name": "find", "arguments": {"q": 5/18}}',
  'cut in the arguments': '<tool_call>\n{"name": "places_find", "arguments": {"q": "Kyo',
  'cut in the name': 'I will look it up.\n<tool_call>\n{"name": "pla',
  'cut behind the mark': 'I will look it up.\n<tool_call>\n',
  'cut without a mark': 'I will look it up.\n{"name": "places_find", "arguments": {"q": "Kyo',
  'cut in the name without a mark': 'まず場所を調べます。\n{"name": "pla',
  'a fence that is not closed': '調べます。\n```json\n{"actions": [{"id": "t1", "operation": "places.fi',
  'a fence without a language': 'Here I go:\n```\n[{"name": "places_find", "arg',
  'a valid call and a broken one':
    '<tool_call>{"name": "places_find", "arguments": {"q": "Kyoto"}}</tool_call><tool_call>{"name": "weather_now", "arguments": {"q": 5/18}}</tool_call>',
  'a valid call and one that is cut':
    '<tool_call>{"name": "places_find", "arguments": {"q": "Kyoto"}}</tool_call><tool_call>{"name": "weather_now", "argum',
  Llama: '<function=places_find>{"q": "Kyoto"',
  'a mark with bars': '<|tool_call|>{"name": "places_find", "arguments": {"q": "Kyoto"',
  Mistral: '[TOOL_CALLS][{"name": "places_find", "arguments": {"q": "Kyo',
  'Mistral, newer': '[TOOL_CALLS]places_find{"q": "Kyo',
  Anthropic:
    '<function_calls>\n<invoke name="places_find">\n<parameter name="q">Kyoto</parameter>\n</invoke>',
  'Anthropic, alone': 'Looking it up.\n<invoke name="places_find"><parameter name="q">Kyoto',
  'Anthropic, in Japanese': '天気を調べます。\n<invoke name="weather_now">\n<parameter name="q">京都',
  GLM: '<tool_call>places_find\n<arg_key>q</arg_key>\n<arg_value>Kyoto',
  DeepSeek: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>places_find',
  Kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.places_find:0',
  Harmony: '<|channel|>commentary to=functions.places_find <|constrain|>json<|message|>{"q": "Kyo',
  'a function': 'functions.places_find({"q": "Kyoto"',
  'a function of ours': 'I am done.\nfunctions.answer({"text": "Sun',
  Gemma: 'Okay.\n```tool_code\nplaces_find(q="Kyoto")\n```',
  'a tag with its name': 'Looking.\n<places_find>\n<q>Kyoto</q>\n</places_find>',
  'a prefix of the vendor': '<minimax:tool_call>\n<invoke name="places_find">',
  'a prefix of the vendor, cut behind it': 'Looking.\n<minimax:tool_call>\n',
  LongCat: '<longcat_tool_call>places_find\n<longcat_arg_key>q</longcat_arg_key>',
  LFM: '<|tool_call_start|>[places_find(q="Kyo',
  Nemotron: '<TOOLCALL>[{"name": "places_find", "arguments": {"q": "Kyo',
  FunctionGemma: '<start_function_call>call:places_find{q:<escape>Kyo',
  'DeepSeek, newer': '<｜DSML｜function_calls>\n<｜DSML｜invoke name="places_find">',
  Grok: '<xai:function_call name="places_find">\n<parameter name="q">Kyoto</parameter>',
  'a name as an attribute': '<function name="places_find"><param name="q">Kyoto</param></function>',
  'code to run': '<tool_code>\nprint(default_api.places_find(q="Kyoto"))\n</tool_code>',
  'ReAct with a call': 'Thought: I need it.\nAction: places_find(q="Kyoto")',
  'ReAct with brackets': 'Action: places_find[Kyoto]',
  'ReAct with code': 'Action: `places_find`\nAction Input:\n```json\n{"q": "Kyoto"}\n```',
  'a name above its arguments': '>>>places_find\n{"q": "Kyoto"}',
  'a name before its arguments': 'places_find{"q": "Kyoto"}',
  'Qwen, older': '✿FUNCTION✿: places_find\n✿ARGS✿: {"q": "Kyoto"}',
  'a name alone in a tag': '<tool>places_find</tool><args>{"q": "Kyoto"}</args>',
  'code in a Python call': 'places_find(q=city.name)',
  'a call and words after it': '<function=places_find>{"q": "Kyoto"}</function> and then the weather',
  'a call of a tool that is not there': '<tool_call>find_place(q="Kyoto")</tool_call>',
  'an action in YAML': 'actions:\n  - id: t1\n    operation: places.find\n    args:\n      q: Kyoto',
  'thoughts in a channel':
    '<|channel|>analysis<|message|>The user wants {"operation": "places.find", "args": {"q": "Kyoto"}}',
  'nothing but dots': '…',
  'nothing at all': 'null',
  'a name behind a word': 'Tool call: places_find(q="Kyoto")',
  'cut in the mark': 'I will look it up.\n<tool_ca',
  'cut in a mark with bars': 'I will look it up.\n<|tool_calls_section_be',
  'a tool above its arguments': 'tool: places_find\nargs:\n  q: Kyoto',
  'the same as YAML': 'tool_calls:\n  - name: places_find\n    arguments:\n      q: Kyoto',
  'the same in Markdown': '**Tool:** places_find\n```json\n{"q": "Kyoto"}\n```',
  'the same in Japanese': 'ツール呼び出し: places_find({"q": "京都"})',
  'a name, a colon and arguments': 'places.find: {"q": "Kyoto"}',
  'what is left of Harmony': 'to=places_find {"q":"Kyoto"}',
  'a thought of Harmony': '<|start|>assistant<|channel|>analysis<|message|>We need places_find',
  JavaScript: "await places_find({q: 'Kyoto'})",
  'JavaScript with a name': "const place = await places_find({q: 'Kyoto'});",
  'a tag with attributes': '<places_find q="Kyoto" />',
  'only a list of calls': '1. places_find(q="Kyoto")\n2. weather_now(q="Kyoto")',
  'only a name': 'places_find',
  'a result that the model made up': '<tool_response>{"temp": 20}</tool_response>',
  'a command': '$ places.find Kyoto',
  'a command behind words': 'I look it up.\n> places_find Kyoto',
  'a command with a slash': '/places.find Kyoto',
  'a command with options': 'places.find --q Kyoto',
  'a command with a value': 'places.find q=Kyoto',
  'the end of a call alone': '"q": "Kyoto"}}\n</tool_call>',
};

/** Answers that talk about such things. */
const ANSWERS: readonly string[] = [
  'It is sunny in Kyoto, 20 °C.',
  '京都は晴れ、気温は20度です。',
  'The set {x | x > 1} is open, and [0, 1) is not closed. See [1] and {a, b}.',
  'Qwen marks a call with the <tool_call> tag, Mistral with [TOOL_CALLS], as their documentation says.',
  'A call is written as `<tool_call>{"name": "get_weather", "arguments": {…}}</tool_call>`.',
  'ツールの呼び出しは `<tool_call>` タグで囲みます。例:\n\n```xml\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "東京"}}\n</tool_call>\n```\n\nこのように書きます。',
  'Here is how such a message looks:\n\n```json\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n```\n\nThe server answers with a result.',
  'Half of it could look like this:\n\n```\n{"name": "get_weather", "argum\n```\n\nand then the parser complains.',
  'Your configuration is this:\n\n```json\n{"name": "dandori", "input": {"port": 8080}}\n```\n\nSave it as `config.json`.',
  '```json\n{"port": 8080}\n```\nThis is the file that you asked for.',
  'I called places_find("Kyoto") and weather_now, and both said that it is sunny.',
  'places_find(q) は場所を探すツールです。',
  'In JavaScript:\n\n```js\nfunction f(x) {\n  if (x) { return {"a": 1};\n```\n\nThe brace is missing, which is the mistake.',
  'The JSON {"city": "Kyoto", "sunny": true} is what the server gave.',
  'サーバーは {"city": "京都", "天気": "晴れ"} を返しました。',
  'Invoke it with care: the function = sign, and the name "places_find", mean what they say.',
  'Use `places_find({"q": "Kyoto"})` to look it up yourself.',
  'The tags <tool_call> and </tool_call> enclose a JSON object.',
  'Qwen では <tool_call>…</tool_call>、Mistral では [TOOL_CALLS].',
  'Use <tool> to open and </tool> to close, as in <tool>hammer</tool>.',
  'places_find {"q": "Kyoto"} gave one hit.',
  'Tool call: places_find found Kyoto.',
  'Action: call the customer.\nOwner: Bob',
  'The operation: a success. GitHub actions: all green.',
  'permissions:\n  actions: read\n  contents: write',
  'It holds where 0<x',
  'I did this:\n- places_find(q="Kyoto")\n- weather_now(q="Kyoto")\n\nIt is sunny.',
  'Name: places_find\nDescription: finds places',
  'places_find: finds places by their name',
  'places_find found Kyoto',
  'The command is:\n\n```\n$ places.find Kyoto\n```\n\nIt finds the city.',
  'It costs $ 20',
];

/** Complete calls as text, which both dialects understand. */
const COMPLETE: Readonly<Record<string, string>> = {
  'in tags': '<tool_call>{"name": "places_find", "arguments": {"q": "Kyoto"}}</tool_call>',
  'in our form': '{"actions": [{"id": "t1", "operation": "places.find", "args": {"q": "Kyoto"}}]}',
  'in a fence': 'I look it up.\n```json\n{"name": "places.find", "arguments": {"q": "Kyoto"}}\n```',
  'a list as text':
    '{"actions": "[{\\"operation\\": \\"places.find\\", \\"args\\": {\\"q\\": \\"Kyoto\\"}}]"}',
  Hermes:
    'I look it up.\n<tool_call>\n{"name": "places_find", "arguments": {"q": "Kyoto"}}\n</tool_call>\n<|im_end|>',
  Llama: '<function=places_find>{"q": "Kyoto"}</function>',
  'Llama with a mark': '<|python_tag|>{"name": "places_find", "parameters": {"q": "Kyoto"}}<|eom_id|>',
  'Llama, in Python': '<|python_tag|>places_find.call(q="Kyoto")',
  'Llama, a list in Python': '[places_find(q="Kyoto")]',
  'Qwen with parameters':
    '<tool_call>\n<function=places_find>\n<parameter=q>\nKyoto\n</parameter>\n</function>\n</tool_call>',
  Anthropic:
    '<function_calls>\n<invoke name="places_find">\n<parameter name="q">Kyoto</parameter>\n</invoke>\n</function_calls>',
  GLM: '<tool_call>places_find\n<arg_key>q</arg_key>\n<arg_value>Kyoto</arg_value>\n</tool_call>',
  Mistral: '[TOOL_CALLS] [{"name": "places_find", "arguments": {"q": "Kyoto"}}]',
  'Mistral, newer': '[TOOL_CALLS]places_find[CALL_ID]abc123XYZ[ARGS]{"q": "Kyoto"}',
  DeepSeek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>places_find\n```json\n{"q": "Kyoto"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  Kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.places_find:0<|tool_call_argument_begin|>{"q": "Kyoto"}<|tool_call_end|><|tool_calls_section_end|>',
  Harmony:
    '<|channel|>analysis<|message|>Not {"operation": "weather.now", "args": {"q": "x"}}.<|end|><|start|>assistant<|channel|>commentary to=functions.places_find <|constrain|>json<|message|>{"q": "Kyoto"}<|call|>',
  'Harmony, the name first':
    '<|start|>assistant to=functions.places_find<|channel|>commentary<|message|>{"q": "Kyoto"}<|call|>',
  'a function in Python': 'places_find(q="Kyoto")',
  'code to run': 'print(places_find(q="Kyoto"))',
  ReAct: 'Thought: I need the place.\nAction: places_find\nAction Input: {"q": "Kyoto"}',
  Cline:
    '<use_mcp_tool>\n<server_name>places</server_name>\n<tool_name>find</tool_name>\n<arguments>\n{"q": "Kyoto"}\n</arguments>\n</use_mcp_tool>',
  'a tool with its parameters': 'Function: places_find\nParameters: {"q": "Kyoto"}',
  'a tool with its arguments, in bold': '**Tool:** places.find\n**Arguments:** {"q": "Kyoto"}',
  'a function with an object': 'places_find({"q": "Kyoto"})',
  'a function with one value': 'places.find("Kyoto")',
  'ReAct with a text': 'Thought: I need the place.\nAction: places_find\nAction Input: Kyoto',
  'ReAct with an invented result':
    'Action: places_find\nAction Input: {"q": "Kyoto"}\nObservation: found\nFinal Answer: Kyoto is there.',
};

/** The answer in what models write around it. */
const MARKED: Readonly<Record<string, string>> = {
  thoughts: '<think>The {"operation": "places.find"} is done.</think>\n\nIt is sunny.',
  'the end of a turn': 'It is sunny.<|im_end|>',
  'the turn of the user after it': 'It is sunny.<|im_end|>\n<|im_start|>user\nThanks',
  'the end of a text': 'It is sunny.</s>',
  'a channel':
    '<|channel|>analysis<|message|>Say it.<|end|><|start|>assistant<|channel|>final<|message|>It is sunny.<|return|>',
  ReAct: 'Thought: I know it now.\nFinal Answer: It is sunny.',
  'a tag': '<answer>It is sunny.</answer>',
  quotes: '"It is sunny."',
};

describe('a call that a model wrote as text', () => {
  it.each([
    'places_find("Kyoto")',
    'Action: places_find\nAction Input: "Kyoto"',
    '{"tool": "places.find", "input": "Kyoto"}',
  ])('has its text as the only parameter that the tool needs: %s', (text) => {
    const judged = judgeOutput(output(text), done.thought(), jsonDialect);
    expect(judged).toMatchObject({ actions: [{ operation: 'places.find', args: { q: 'Kyoto' } }] });
  });

  it.each(Object.entries(BROKEN))('is no answer where it is cut or broken: %s', (_, text) => {
    expect(taken(text)).toBe('unusable_output');
    expect(taken(text, 'json')).toBe('unusable_output');
  });

  it.each(Object.entries(COMPLETE))('is that call where it is complete: %s', (_, text) => {
    expect(taken(text)).toBe('places.find');
    expect(taken(text, 'json')).toBe('places.find');
  });

  it('is one of several, each with its values', () => {
    const calls = (text: string) => {
      const judged = judgeOutput(output(text), done.thought(), jsonDialect);
      return 'failure' in judged ? judged.failure.kind : judged.actions.map(({ args }) => args);
    };
    const both = [{ q: "Kyoto's" }, { q: 'Nara', days: 2, exact: true, of: ['a', 'b'], note: null }];
    const hermes = both.map(
      (args) => `<tool_call>\n${JSON.stringify({ name: 'places_find', arguments: args })}\n</tool_call>`,
    );
    expect(calls(hermes.join('\n'))).toEqual(both);
    const python = `[places_find(q="Kyoto's"), places_find(q='Nara', days=2, exact=True, of=['a', "b"], note=None)]`;
    expect(calls(python)).toEqual(both);
  });

  it.each(Object.entries(MARKED))('is no part of an answer: %s', (_, text) => {
    const judged = judgeOutput(output(text), done.thought(), jsonDialect);
    expect(judged).toMatchObject({ actions: [{ operation: 'answer', args: { text: 'It is sunny.' } }] });
  });

  it('is no answer wherever it is cut', () => {
    const whole =
      'I will look it up.\n<tool_call>\n{"name": "places_find", "arguments": {"q": "Kyoto"}}\n</tool_call>';
    const from = whole.indexOf('{');
    for (let end = from; end < whole.length; end++) {
      expect(['unusable_output', 'places.find'], whole.slice(0, end)).toContain(taken(whole.slice(0, end)));
    }
  });

  it.each(ANSWERS)('is not seen in an answer: %s', (text) => {
    expect(taken(text)).toBe('answer');
  });

  it('is looked for in a time that grows with the text, whatever is in it', () => {
    const parts = [
      '`',
      '```',
      '~~~',
      '<',
      '<tool_call>',
      '{"name": "places_find", ',
      '[',
      'Action: ',
      '"',
      ' ',
      'a(',
    ];
    for (const part of parts)
      expect(['answer', 'unusable_output'], part).toContain(taken(`I say ${part.repeat(50_000)}`));
  });

  it('is missing where the model says that it calls and no call came', () => {
    expect(taken('I will look it up.', 'tools', 'tool-calls')).toBe('unusable_output');
  });

  it.each(['tools', 'json'] as const)(
    'and whatever was cut at the limit of its length is no answer (%s)',
    (dialect) => {
      for (const text of [...ANSWERS, ...Object.values(BROKEN), ...Object.values(COMPLETE), ''])
        expect(taken(text, dialect, 'length'), text).toBe('unusable_output');
    },
  );

  describe('JSON alone', () => {
    const asked = (goal: string, text: string, story = new Story(goal)) => {
      const judged = judgeOutput(output(text), story.thought(), toolsDialect);
      return 'failure' in judged ? judged.failure.kind : judged.actions[0]?.args.text;
    };
    const cities = '{"cities": ["Kyoto", "Nara"]}';

    it.each([cities, `\`\`\`json\n${cities}\n\`\`\``, '[{"city": "Kyoto"}]'])(
      'is the answer where the goal asks for JSON: %s',
      (text) => {
        expect(asked('List two cities as JSON', text)).toBe(text);
        expect(asked('都市を2つJSONで', text)).toBe(text);
        expect(asked('List two cities', text)).toBe('unusable_output');
      },
    );

    it.each([
      ['it is cut', '{"cities": ["Kyoto", "Na'],
      ['it is broken', '{"cities": ["Kyoto", 5/18]}'],
      ['it calls a tool that is not offered', '{"name": "find_city", "arguments": {"q": 5/18}}'],
      ['it may be the arguments of a tool', '{"q": "Kyoto"}'],
    ])('is no answer where %s', (_, text) => {
      expect(asked('List two cities as JSON', text)).toBe('unusable_output');
    });

    it('is the answer after a call, whatever the tool takes', () => {
      const story = new Story('Which city? As JSON');
      story.decided([{ id: 't1', operation: 'places.find', args: { q: 'Nara' } }], { t1: 'x' });
      expect(asked('', '{"q": "Kyoto"}', story)).toBe('{"q": "Kyoto"}');
    });
  });
});

describe('a native call with arguments that are no object', () => {
  const judged = (name: string, written: string, dialect: 'tools' | 'json') => {
    const call = { id: 'c1', name, arguments: written };
    const found = judgeOutput(
      { ...output('', 'tool-calls'), calls: [call] },
      done.thought(),
      dialect === 'tools' ? toolsDialect : jsonDialect,
    );
    return 'failure' in found ? found.failure.kind : found.actions[0];
  };

  it.each([
    ['answer', '{"text": "The total is 3'],
    ['answer', '{"te'],
    ['answer', '{'],
    ['answer', '{"text": "a" "b"}'],
    ['answer', 'null'],
    ['ask', '{"question": "Which'],
    ['places_find', '{"q": "Kyo'],
  ])('never becomes an answer or a question: %s %s', (name, written) => {
    expect(judged(name, written, 'tools')).toBe('unusable_output');
    expect(judged(name, written, 'json')).toBe('unusable_output');
  });

  it.each([
    ['answer', 'The total is 300', { text: 'The total is 300' }],
    ['answer', '{1, 2, 3} is a set', { text: '{1, 2, 3} is a set' }],
    ['answer', '"{\\"text\\": \\"hi\\"}"', { text: 'hi' }],
    ['places_find', '"{\\"q\\": \\"Kyoto\\"}"', { q: 'Kyoto' }],
    ['places_find', 'null', {}],
  ])('is read if it says what is meant: %s %s', (name, written, args) => {
    for (const dialect of ['tools', 'json'] as const)
      expect(judged(name, written, dialect)).toMatchObject({ operation: name.replace('_', '.'), args });
  });
});

it('native arguments that are nested too deeply are the mistake of the model, which is asked again', () => {
  let nested: unknown = 1;
  for (let level = 0; level < 50_000; level++) nested = { a: nested };
  const calls = [{ id: 'c1', name: 'places_find', arguments: { q: nested } as never }];
  const judged = judgeOutput(
    { ...output(''), calls, finishReason: 'tool-calls' },
    done.thought(),
    toolsDialect,
  );
  expect(judged).toMatchObject({
    failure: { kind: 'unusable_output', message: expect.stringContaining('deep') },
  });
});
