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
