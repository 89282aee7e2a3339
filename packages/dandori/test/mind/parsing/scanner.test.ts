import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractActions } from '../../../src/mind/parsing/extract-actions.ts';
import { ActionScanner } from '../../../src/mind/parsing/scanner.ts';
import type { Action } from '../../../src/model/task.ts';

describe('actions are told while the model is still writing', () => {
  it('tells an action with its last bracket', () => {
    const { actions, push } = scan();
    push('Sure!\n```json\n{"reasoning":"r","actions":[{"id":"t1","operation":"a","args":{"x":"}]"}');
    expect(actions).toEqual([]);
    push('}');
    expect(actions).toEqual([{ id: 't1', operation: 'a', args: { x: '}]' } }]);
  });

  it('tells the same actions as the whole text has in the end, however it is cut into pieces (N1)', () => {
    const json = fc.jsonValue({ maxDepth: 2 });
    const action = fc.record(
      {
        id: fc.constantFrom('a', 'b', ''),
        operation: fc.constantFrom('x.y', 'answer2'),
        args: fc.dictionary(fc.string(), json),
      },
      { requiredKeys: ['operation', 'args'] },
    );
    const around = fc.constantFrom(
      '',
      'Here: ',
      '```json\n',
      '<think>[{"operation":"no"}]</think>',
      "It's [1]. ",
    );
    fc.assert(
      fc.property(
        fc.array(action, { minLength: 1, maxLength: 5 }),
        around,
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        (list, before, isBare, size) => {
          const raw = before + JSON.stringify(isBare ? list : { reasoning: 'a "b" [c', actions: list });
          const { actions, push } = scan();
          for (let start = 0; start < raw.length; start += size) push(raw.slice(start, start + size));
          const extraction = extractActions(raw);
          expect(extraction.ok && extraction.actions).toEqual(actions);
        },
      ),
    );
  });

  it('does not begin what a thought or another list in the output holds', () => {
    const { actions, push } = scan();
    push(
      '<think>[{"operation":"a","args":{}}]</think>{"tools":[{"name":"b","parameters":{}}],"actions":[{"operation":"c"}]}',
    );
    push('[{"operation":"d"}]');
    expect(actions.map(({ operation }) => operation)).toEqual(['c']);
  });

  it('tells nothing after an action that it cannot read (N2)', () => {
    const { actions, push } = scan();
    push('[{"operation":"a"},{"args":{}},{"operation":"c"}]');
    expect(actions.map(({ operation }) => operation)).toEqual(['a']);
  });
});

describe('an answer is shown as it is written', () => {
  it('tells every character once, escapes and emoji whole, however it is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('$') && text !== ''),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (text, size, isEscaped) => {
          const plain = JSON.stringify({
            actions: [{ id: 't1', operation: 'answer', args: { text, achieved: true } }],
          });
          const raw = isEscaped
            ? plain.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
            : plain;
          const { texts, push } = scan();
          for (let start = 0; start < raw.length; start += size) push(raw.slice(start, start + size));
          expect(texts.join('')).toBe(text);
        },
      ),
    );
  });

  it('tells it before it is complete', () => {
    const { texts, push } = scan();
    push('{"actions":[{"operation":"answer","args":{"text":"Hello wor');
    expect(texts.join('')).toBe('Hello wor');
  });

  it('also where it stands in no list', () => {
    const { texts, push } = scan();
    push('{"operation":"answer","args":{"text":"Hello');
    expect(texts.join('')).toBe('Hello');
  });

  it('stops before a Ref, which only the engine can fill', () => {
    const { texts, push } = scan();
    for (const character of '[{"operation":"answer","args":{"text":"It costs $5 or ${t1.x}."}}]')
      push(character);
    expect(texts.join('')).toBe('It costs $5 or ');
  });

  it('tells a $ that stands at the very end', () => {
    const { texts, push } = scan();
    for (const character of '[{"operation":"answer","args":{"text":"US$"}}]') push(character);
    expect(texts.join('')).toBe('US$');
  });

  it('is silent about one that comes with tool calls, as it may not hold (N3)', () => {
    const { texts, push } = scan();
    push('[{"operation":"a","args":{"text":"x"}},{"operation":"answer","args":{"text":"Done."}}]');
    push('{"operation":"b","args":{}}\n{"operation":"answer","args":{"text":"Done."}}');
    expect(texts).toEqual([]);
  });
});

function scan() {
  const actions: Action[] = [];
  const texts: string[] = [];
  const scanner = new ActionScanner({
    onAction: (action) => actions.push(action),
    onText: (text) => texts.push(text),
  });
  return { actions, texts, push: (piece: string) => scanner.push(piece) };
}
