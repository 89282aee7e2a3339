import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Interrupted, StatusMark } from '../../src/ui/marks.tsx';

it.each([
  [false, 'Running'],
  [true, 'Interrupted'],
])('a call of a run that no process drives does not look as if it were running (%s)', (value, text) => {
  const mark = createElement(StatusMark, { status: 'running' });
  expect(renderToStaticMarkup(createElement(Interrupted, { value }, mark))).toContain(text);
});
