/** Whether a text mentions a name: 佐藤花子 matches 佐藤 花子, and "green teas" matches Green tea. */
export function contains(text: string, name: string): boolean {
  const plain = name.normalize('NFKC').toLowerCase();
  if (/[^\u0020-\u007f]/.test(plain))
    return text.replaceAll(/[\s・]/g, '').includes(plain.replaceAll(/[\s・]/g, ''));
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word.length > 2 || /\d/.test(word));
  const said = text
    .replaceAll(/'s\b/g, '')
    .split(/[^a-z0-9]+/)
    .map(singular);
  return words.length > 0 && words.every((word) => said.includes(singular(word)));
}

function singular(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=o|ch|sh|x|ss)es$/, '')
    .replace(/(?<!s)s$/, '');
}
