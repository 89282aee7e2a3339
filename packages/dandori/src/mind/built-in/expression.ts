/** An arithmetic expression found in a text, cleaned so that a calculator can read it. */
export interface FoundExpression {
  readonly expression: string;
  readonly start: number;
  readonly end: number;
}

const FUNCTION =
  'sqrt|cbrt|abs|sin|cos|tan|asin|acos|atan|log10|log2|log|ln|exp|floor|ceil|round|min|max|pow';
const SYMBOLS = new RegExp(
  `(?:[0-9.,+\\-*/^%()×÷−\\s]|(?<=\\d\\s?)x(?=\\s?\\d)|(?<![a-z])(?:${FUNCTION})(?=\\s?\\()|(?<![a-z])pi(?![a-z]))+`,
  'gi',
);
const NUMBER = String.raw`\d+(?:\.\d+)?`;
const SPOKEN = 'plus|minus|times|multiplied by|divided by|足す|たす|引く|ひく|かける|掛ける|割る|わる';
const PERCENT = new RegExp(`${NUMBER}\\s?%\\s?of\\s${NUMBER}`, 'gi');
const IN_WORDS = new RegExp(`${NUMBER}(?:\\s{0,3}(?:${SPOKEN})\\s{0,3}${NUMBER})+`, 'gi');

/** Text is at most a few thousand characters, with full-width digits and signs already made narrow. */
export function expressionsIn(text: string): FoundExpression[] {
  return [
    ...matches(text, PERCENT, (found) => found.replace(/\s?%\s?of\s/i, ' / 100 * ')),
    ...matches(text, IN_WORDS, toSymbols),
    ...matches(text, SYMBOLS, (found) => found),
  ];
}

function matches(text: string, pattern: RegExp, read: (found: string) => string): FoundExpression[] {
  return [...text.matchAll(pattern)].flatMap((match): FoundExpression[] => {
    const trimmed = match[0].replace(/[\s.,+\-*/^%(]+$/, '').replace(/^[\s.,+*/^%)]+/, '');
    const expression = withAsciiSigns(read(trimmed));
    if (!isExpression(expression)) return [];
    const start = match.index + match[0].indexOf(trimmed);
    return [{ expression, start, end: start + trimmed.length }];
  });
}

function withAsciiSigns(text: string): string {
  return text
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replace(/[×x](?!p)/gi, '*')
    .replaceAll('÷', '/')
    .replaceAll('−', '-')
    .replace(/\s+/g, ' ');
}

function toSymbols(text: string): string {
  return text
    .replace(/\s*(plus|足す|たす)\s*/gi, ' + ')
    .replace(/\s*(minus|引く|ひく)\s*/gi, ' - ')
    .replace(/\s*(times|multiplied by|かける|掛ける)\s*/gi, ' * ')
    .replace(/\s*(divided by|割る|わる)\s*/gi, ' / ');
}

/** Well formed, and with something to calculate. `03-1234-5678` is a telephone number. */
function isExpression(text: string): boolean {
  const tokens = text.match(/\d+(?:\.\d+)?|\.\d+|[a-z]+\d*|[-+*/^%(),]/gi) ?? [];
  if (tokens.length < 3 || tokens.length > 500) return false;
  if (tokens.join('') !== text.replace(/\s+/g, '')) return false;
  if (tokens.some((token) => /^0\d/.test(token))) return false;
  return tokens.some((token) => /^[-+*/^%]$|^[a-z]/i.test(token)) && isWellFormed(tokens);
}

/** One pass: after a value comes an operator, after an operator a value, and brackets match. */
function isWellFormed(tokens: readonly string[]): boolean {
  let depth = 0;
  let wantsValue = true;
  let wasPercent = false;
  for (const [index, token] of tokens.entries()) {
    const isCall = /^[a-z]/i.test(token) && tokens[index + 1] === '(';
    if (wantsValue) {
      if (token === '(') depth++;
      else if (/^[\d.]/.test(token) || /^pi$/i.test(token)) wantsValue = false;
      else if (!isCall && !/^[-+]$/.test(token)) return false;
    } else if (token === ')') depth--;
    else if (/^[-+*/^%,]$/.test(token)) wantsValue = true;
    else return false;
    if (depth < 0) return false;
    wasPercent = token === '%';
  }
  return depth === 0 && (!wantsValue || wasPercent);
}
