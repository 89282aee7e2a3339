import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/cli/markdown.ts';
import type { Style } from '../../src/cli/style.ts';

const mark = (sign: string) => (text: string) => `<${sign}>${text}</${sign}>`;
const STYLE: Style = {
  bold: mark('b'),
  dim: mark('d'),
  red: mark('r'),
  green: mark('g'),
  yellow: mark('y'),
  cyan: mark('c'),
};
const plain = (text: string) => renderMarkdown(text, STYLE).replaceAll(/<\/?\w>/g, '');
const render = (text: string) => renderMarkdown(text, STYLE);

describe('Markdown in a terminal', () => {
  it('has headings, bold text, code and links', () => {
    expect(render('## Result ##')).toBe('<b>Result</b>');
    expect(render('**very** good, `a*b*c` and *soft*')).toBe('<b>very</b> good, <c>a*b*c</c> and soft');
    expect(render('[docs](https://x.example/a) and [https://y.example](https://y.example)')).toBe(
      'docs (<c>https://x.example/a</c>) and <c>https://y.example</c>',
    );
    expect(render('2 * 3 * 4 and snake_case_name')).toBe('2 * 3 * 4 and snake_case_name');
  });

  it('has lists, quotes and rules', () => {
    expect(plain('- one\n  - two\n1. three\n- [x] done\n> said\n---')).toBe(
      `• one\n  • two\n1. three\n• ☑ done\n│ said\n${'─'.repeat(40)}`,
    );
  });

  it('leaves code as it is, also where its fence is missing', () => {
    expect(plain('```js\n# no heading\n- no list\n```\nafter')).toBe(
      '    # no heading\n    - no list\nafter',
    );
    expect(plain('```\n**x**')).toBe('    **x**');
  });

  it('aligns tables by the columns that are seen', () => {
    const table = '| 都市 | temp |\n|---|---:|\n| **京都** | 3 |\n| Rome | `12` |\nend';
    expect(plain(table)).toBe('都市  temp\n────  ────\n京都  3\nRome  12\nend');
  });

  it('takes control characters out', () => {
    expect(render('# a\u001b[2Jb')).toBe('<b>a\ufffd[2Jb</b>');
  });
});
