/** A light stem: enough for `lists`, `listing` and `list`, or `location` and `locate`, to be one word. */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/, '');
  if (lower.length < 4 || !/^[a-z]+$/.test(lower)) return lower;
  const singular = withoutPlural(lower);
  for (const ending of ['ing', 'ion', 'ed']) {
    const rest = singular.slice(0, -ending.length);
    const isLongEnough = rest.length >= (ending === 'ion' ? 5 : 3) && /[aeiouy]/.test(rest);
    if (singular.endsWith(ending) && isLongEnough) return withoutEnd(undoubled(rest));
  }
  return withoutEnd(singular);
}

function withoutPlural(word: string): string {
  if (word === 'news') return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

/** `removing` and `remove` both lose what comes after `remov`. */
function withoutEnd(word: string): string {
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

function undoubled(word: string): string {
  return /([bdfgmnprt])\1$/.test(word) ? word.slice(0, -1) : word;
}
