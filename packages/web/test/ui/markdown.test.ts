import { describe, expect, it } from 'vitest';
import { blocksOf, piecesOf } from '../../src/ui/markdown.ts';

describe('the blocks of a text', () => {
  it('are paragraphs, lists, headings and code', () => {
    const text =
      '# Found\nTwo lines\nof one\n\n- a\n- b\n  more of b\n1. one\n2) two\n```js\n- x\n\n<b>\n```\nend';
    expect(blocksOf(text)).toEqual([
      { kind: 'heading', text: 'Found' },
      { kind: 'paragraph', text: 'Two lines\nof one' },
      { kind: 'list', isNumbered: false, items: ['a', 'b\nmore of b'] },
      { kind: 'list', isNumbered: true, items: ['one', 'two'] },
      { kind: 'code', text: '- x\n\n<b>' },
      { kind: 'paragraph', text: 'end' },
    ]);
  });

  it('are tables and quotes', () => {
    const text = 'So:\n| a | b |\n|---|:-:|\n| `x` | 1 \\| 2 |\n| y\n\n> one\n> two\na | b';
    expect(blocksOf(text)).toEqual([
      { kind: 'paragraph', text: 'So:' },
      { kind: 'table', head: ['a', 'b'], rows: [['`x`', '1 | 2'], ['y']] },
      { kind: 'quote', text: 'one\ntwo' },
      { kind: 'paragraph', text: 'a | b' },
    ]);
  });

  it('show code that is still being written as code', () => {
    expect(blocksOf('so:\n```\nlet a')).toEqual([
      { kind: 'paragraph', text: 'so:' },
      { kind: 'code', text: 'let a' },
    ]);
  });
});

describe('the pieces of a text', () => {
  it('are code, bold text, and links with http or https only', () => {
    expect(piecesOf('a `b` **c** https://d.example/e?f=1. javascript:alert(1)')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'https://d.example/e?f=1' },
      { kind: 'text', text: '. javascript:alert(1)' },
    ]);
  });

  it('are emphasis, but not products', () => {
    const stressed = (text: string) =>
      piecesOf(text).flatMap((one) => (one.kind === 'stressed' ? one.text : []));
    expect(stressed('*a b* と*強調*です 2*3*4 * no * **c**')).toEqual(['a b', '強調']);
  });

  it('lose no text', () => {
    const text = '**a `b **c** http:// https:// `` <script>x</script>';
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join('')
        .replaceAll('*', ''),
    ).toBe(text.replaceAll('*', ''));
  });
});
