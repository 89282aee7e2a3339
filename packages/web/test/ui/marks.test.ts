import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Elapsed } from '../../src/run/view.tsx';
import { Interrupted, StatusMark } from '../../src/ui/marks.tsx';

it.each([
  [false, 'Running'],
  [true, 'Interrupted'],
])('a call of a run that no process drives does not look as if it were running (%s)', (value, text) => {
  const mark = createElement(StatusMark, { status: 'running' });
  expect(renderToStaticMarkup(createElement(Interrupted, { value }, mark))).toContain(text);
});

it('the time of a call of a run that no process drives does not go on', () => {
  const time = createElement(Elapsed, { ms: undefined, since: 0 });
  expect(renderToStaticMarkup(createElement(Interrupted, { value: true }, time))).toBe('');
});
