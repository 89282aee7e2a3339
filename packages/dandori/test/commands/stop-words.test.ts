import { expect, it } from 'vitest';
import { asksToStop } from '../../src/commands/index.ts';

it.each([
  'stop',
  'Please cancel that.',
  'No, never mind',
  'Stop the payment now',
  'call it off, please',
  'やめて',
  'やっぱりやめてください',
  '支払いを中止して',
  'その注文はキャンセルでお願いします',
  'もういいです。',
])('asks for nothing but to stop: %s', (text) => {
  expect(asksToStop(text, { isOnly: true })).toBe(true);
});

it.each([
  'Stop that noise',
  'stop using emojis',
  'When does the bus stop?',
  'Cancel my gym membership',
  'Which orders were cancelled?',
  '通知音を止めて',
  'ジムの契約を中止する方法を教えて',
  'キャンセル料はいくら？',
])('may be about something else, so the user is asked: %s', (text) => {
  expect(asksToStop(text, { isOnly: true })).toBe(false);
});
