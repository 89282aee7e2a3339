import { isJapanese } from '../japanese.ts';

/** Whether `wanted` can mean the item called `name`. */
export function canMean(wanted: string, name: string): boolean {
  return halves(wanted).some((half) => halfCanMean(half, name));
}

/** Whether `wanted` is a complete name of the item, so that no other item is meant. */
export function isCalled(wanted: string, name: string): boolean {
  const names = [name, ...halves(name)].map(simplified);
  return names.includes(simplified(wanted));
}

function halfCanMean(wanted: string, name: string): boolean {
  const plain = simplified(wanted);
  if (plain === '') return false;
  if (isJapanese(plain)) return simplified(name).includes(plain);
  // Whole words: an egg is not an eggplant.
  const words = new Set(wordsOf(name));
  const wantedWords = wordsOf(wanted);
  return wantedWords.length > 0 && wantedWords.every((word) => words.has(word));
}

/** "牛乳 (低脂肪) / low-fat milk" is one item with two names. */
function halves(name: string): string[] {
  return name
    .split('/')
    .map((half) => half.trim())
    .filter(Boolean);
}

/** The name in one language. An item with a single name has it in both. */
export function nameIn({ name }: { readonly name: string }, japanese: boolean): string {
  const [first = name, ...others] = name.split(' / ');
  return japanese || others.length === 0 ? first : others.join(' / ');
}

function wordsOf(text: string): string[] {
  return (simplified(text).match(/[a-z0-9]+/g) ?? []).map(singular);
}

function singular(word: string): string {
  if (/(?:[sxz]|ch|sh|o)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

function simplified(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
