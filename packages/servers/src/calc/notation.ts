import { SaidError } from '../said.ts';
export const MAX_LENGTH = 500;

const REPLACEMENTS: Record<string, string> = {
  '×': '*',
  '✕': '*',
  '∙': '*',
  '·': '*',
  '・': '*',
  '÷': '/',
  '∕': '/',
  '−': '-',
  '‐': '-',
  '‑': '-',
  '–': '-',
  '—': '-',
  ー: '-',
  '　': ' ',
  '、': ',',
  π: 'pi',
};
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** Rewrites user input, including full-width characters, in plain ASCII notation. */
export function normalize(expression: string): string {
  // NFKC would turn 3² into 32, so only characters with one certain meaning are translated.
  const ascii = expression
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(
      /[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g,
      (digits) => `^(${[...digits].map((digit) => SUPERSCRIPTS.indexOf(digit)).join('')})`,
    )
    .replace(/√\s*(\d+(?:\.\d+)?)/g, 'sqrt($1)')
    .replace(/√\s*\(/g, 'sqrt(')
    .replace(/[^\x20-\x7E]/gu, (character) => REPLACEMENTS[character] ?? character)
    .replace(/\*\*/g, '^');
  const plain = withoutEnd(withoutEnd(ascii.trim(), '?'), '=');
  const stranger = /[^\x20-\x7E]/u.exec(plain);
  if (stranger) {
    throw new SaidError({
      en: `"${stranger[0]}" is not part of a calculation. Send numbers, operators and brackets only.`,
      ja: `「${stranger[0]}」は計算式に使えません。数値・演算子・括弧だけを指定してください。`,
    });
  }
  if (plain === '')
    throw new SaidError({
      en: 'The expression is empty. Send something like "1200 * 3 + 8%".',
      ja: '計算式が空です。「1200 * 3 + 8%」のように指定してください。',
    });
  return withoutThousandsSeparators(plain);
}

/** Not a pattern such as /\s*=?\s*$/, whose time grows with a power of the spaces. */
function withoutEnd(text: string, sign: string): string {
  return text.endsWith(sign) ? text.slice(0, -1).trimEnd() : text;
}

/** max(1,234) has two arguments, 1,234 + 5 has one number: only the brackets can tell them apart. */
function withoutThousandsSeparators(expression: string): string {
  const openBrackets: boolean[] = [];
  let output = '';
  for (let index = 0; index < expression.length; index += 1) {
    const character = expression.charAt(index);
    if (character === '(') openBrackets.push(endsWithName(output));
    if (character === ')') openBrackets.pop();
    const isSeparator =
      character === ',' &&
      openBrackets.at(-1) !== true &&
      /(?:^|[^\d.])\d{1,3}(?:,\d{3})*$/.test(expression.slice(0, index)) &&
      /^,\d{3}(?!\d)/.test(expression.slice(index));
    if (!isSeparator) output += character;
  }
  return output;
}

/** Searched from the end: a pattern would try every letter of a long word as its first. */
function endsWithName(text: string): boolean {
  const end = text.trimEnd().length;
  let start = end;
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start -= 1;
  return /[A-Za-z_]/.test(text.slice(start, end));
}
