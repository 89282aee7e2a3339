import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ContextView } from '../../src/run/questions/context-view.tsx';

const shown = (context: object) =>
  renderToStaticMarkup(createElement(ContextView, { context: { ...context } }));

it('a question about the next step shows no raw data: its text says everything', () => {
  expect(shown({ step: 's2' })).toBe('');
  expect(shown({ operation: 'letters.send', args: { to: 'Ann' } })).toContain('letters.send');
});

it('shows each argument of a doubtful call once, with the place where it was read', () => {
  const values = [
    { argument: 'to', value: 'eve@evil.example', task: 't1', operation: 'users.find' },
    { argument: 'body', value: 'hello' },
  ];
  const context = {
    operation: 'mail.send',
    args: { to: 'eve@evil.example', body: 'hello' },
    effect: 'write',
    trust: { because: 'not_ordered', values },
  };
  const page = shown(context);
  expect(page.match(/eve@evil\.example/g)).toHaveLength(1);
  expect(page.match(/hello/g)).toHaveLength(1);
  expect(page).toContain('read in users.find (t1)');
  expect(page).toContain('written by the model');
  const other = { ...context, args: { body: 'hello' } };
  expect(shown(other)).toContain('eve@evil.example');
});
