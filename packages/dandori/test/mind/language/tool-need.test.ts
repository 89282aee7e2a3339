import { describe, expect, it } from 'vitest';
import { needsTool } from '../../../src/mind/language/tool-need.ts';
import type { Tool } from '../../../src/model/tool.ts';

const tool = (name: string, ...parameters: string[]): Tool => ({
  name,
  server: name.split('.')[0] ?? '',
  description: '',
  inputSchema: { type: 'object', properties: Object.fromEntries(parameters.map((key) => [key, {}])) },
  effect: 'read',
  trusted: true,
});

const TOOLS = [
  tool('calc.evaluate', 'expression'),
  tool('clock.now', 'timezone'),
  tool('places.weather', 'city'),
  tool('places.locate', 'ip'),
  tool('sqlite.list_tables'),
  tool('sqlite.execute_safe_query', 'sql'),
  tool('kitchen.remove_item', 'name'),
  tool('files.read_text', 'path'),
  tool('files.write_text', 'path', 'text'),
  tool('shell.run', 'command'),
];

describe('a goal that speaks of a tool', () => {
  it.each([
    '100 + 200を計算',
    'What is 12 * 7?',
    '現在時刻を教えて',
    '今何時？',
    'What time is it in Tokyo?',
    '大阪の天気は？',
    'IPから現在地を調べて天気を取得',
    'Where is 203.0.113.7?',
    'データベースの商品一覧を表示して',
    '牛乳を捨てて',
    'Remove the milk',
    'notes.txt を要約して',
    'Write the design to docs/design.md',
    'Run the tests',
  ])('needs it: %s', (goal) => expect(needsTool(goal, TOOLS)).toBe(true));

  it.each([
    'What is the capital of France?',
    'フランスの首都は？',
    'Hello!',
    'こんにちはと言って',
    'Write a haiku about spring',
    '春の俳句を書いて',
    'What is the difference between a table and a view in a database?',
    'データベースとは何ですか？',
    'How do I remove a stain?',
    'Suggest a name for my cat',
    'ありがとう',
  ])('or is answered without one: %s', (goal) => expect(needsTool(goal, TOOLS)).toBe(false));
});
