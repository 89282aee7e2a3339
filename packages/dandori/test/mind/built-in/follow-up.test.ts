import { expect, test } from 'vitest';
import { inAskedUnit, wholeGoal } from '../../../src/mind/built-in/follow-up.ts';

const said = (...lines: string[]) => `<conversation>\n${lines.join('\n')}\n</conversation>`;

test.each([
  ['And in Osaka?', said('user: Weather in Tokyo', 'you: sunny'), 'Weather in osaka'],
  ['what about Paris', said('user: Weather in Tokyo', 'user: and in Osaka?'), 'Weather in paris'],
  ['大阪は？', said('user: 東京の天気を教えて', 'you: 晴れ'), '大阪の天気を教えて'],
  ['じゃあロンドンだと？', said('user: 東京は今何時？'), 'ロンドンは今何時？'],
  ['What is that in Fahrenheit?', said('user: Temperature in Tokyo'), 'Temperature in Tokyo in Fahrenheit'],
  ['華氏では？', said('user: 東京の気温は？'), '東京の気温は、華氏で'],
])(
  'a message that leans on the one before it asks the same of something else: %s',
  (goal, context, whole) => {
    expect(wholeGoal(goal, context)).toBe(whole);
  },
);

test.each(['Which customers live in Osaka?', 'List the products', '卵を2個使った'])(
  'a whole goal stays as it is: %s',
  (goal) => {
    expect(wholeGoal(goal, said('user: Weather in Tokyo'))).toBe(goal);
    expect(wholeGoal(goal, undefined)).toBe(goal);
  },
);

test('the result of a plan is told in the unit that its goal asks for', () => {
  expect(inAskedUnit('What is that in Fahrenheit?', { city: 'Tokyo', temperature_c: 19.5 })).toBe('67.1 °F');
  expect(inAskedUnit('What is that in Fahrenheit?', { result: 67.1, text: '67.1' })).toBe('67.1 °F');
  expect(inAskedUnit('What is the weather?', { temperature_c: 19.5 })).toBeUndefined();
});
