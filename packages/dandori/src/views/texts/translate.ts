/**
 * Messages are written once, in English, where the problem is found: they cross processes as text (HTTP,
 * journals, `--json`). They are translated where a user reads them, by a catalogue of templates.
 *
 * `{1}`, `{2}` … stand for any text. A text in a placeholder is translated too, if it is in the catalogue.
 */
export type Catalogue = Readonly<Record<string, string>>;

export type Translate = (text: string) => string;

interface Template {
  /** The fixed parts around the placeholders: one more than there are placeholders. */
  readonly parts: readonly string[];
  readonly names: readonly string[];
  readonly weight: number;
  readonly translation: string;
}

/** How deep texts inside texts are translated. */
const DEEPEST = 6;
/** Longer lines are data, not messages. */
const LONGEST = 4_000;
/** A placeholder has a space beside it for Latin text. Between two Japanese words it has none. */
const NEEDLESS_SPACE =
  /(?<=[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]) (?=[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}])/gu;
/** A quoted line of a file, with its number or with the caret below it. */
const EXCERPT = /^\s*\d* \|/;

interface Indexed {
  readonly exact: ReadonlyMap<string, string>;
  /** Sorted: the template with the most fixed text is the most specific one. */
  readonly templates: readonly Template[];
}

function indexed(catalogue: Catalogue): Indexed {
  const exact = new Map<string, string>();
  const templates: Template[] = [];
  for (const [key, translation] of Object.entries(catalogue)) {
    const pieces = key.split(/\{(\d)\}/);
    if (pieces.length === 1) exact.set(key, translation);
    const parts = pieces.filter((_, index) => index % 2 === 0);
    const names = pieces.filter((_, index) => index % 2 === 1);
    if (names.length > 0) templates.push({ parts, names, weight: parts.join('').length, translation });
  }
  return { exact, templates: templates.sort((one, other) => other.weight - one.weight) };
}

/** The catalogue is indexed with the first message. Most commands translate none. */
export function createTranslate(catalogue: Catalogue): Translate {
  let index: Indexed | undefined;

  function ofLine(line: string, depth: number): string | undefined {
    index ??= indexed(catalogue);
    const { exact, templates } = index;
    const known = exact.get(line);
    if (known !== undefined || depth > DEEPEST || line.length > LONGEST) return known;
    for (const { parts, names, translation } of templates) {
      const values = match(line, parts);
      if (values === undefined) continue;
      const filled = new Map(names.map((name, index) => [name, values[index] ?? '']));
      const written = translation.replaceAll(/\{(\d)\}/g, (whole, name: string) => {
        const value = filled.get(name);
        return value === undefined ? whole : (ofText(value, depth + 1) ?? value);
      });
      return written.replaceAll(NEEDLESS_SPACE, '');
    }
    return undefined;
  }

  /** A message may follow a prefix that names its subject: `calc.evaluate: "expression" is missing`. */
  function ofNamed(line: string, depth: number): string | undefined {
    const [, name = '', rest = ''] = /^(\S+): (.+)$/.exec(line) ?? [];
    const translated = rest === '' || depth > DEEPEST ? undefined : ofNamed(rest, depth + 1);
    if (translated === undefined) return ofLine(line, depth);
    const label = catalogue[`${name}: {1}`] ?? `${name}：{1}`;
    return label.replace('{1}', () => translated);
  }

  function ofText(text: string, depth: number): string | undefined {
    if (!text.includes('\n')) return ofIndented(text, depth);
    const lines = text.split('\n');
    return lines.map((line) => (EXCERPT.test(line) ? line : (ofIndented(line, depth) ?? line))).join('\n');
  }

  function ofIndented(line: string, depth: number): string | undefined {
    const [, indent = '', rest = ''] = /^(\s*)(.*)$/.exec(line) ?? [];
    const translated = ofNamed(rest, depth);
    return translated === undefined ? undefined : `${indent}${translated}`;
  }

  return (text) => ofText(text, 0) ?? text;
}

/**
 * The values of the placeholders, or undefined if the text does not fit. Each fixed part is found at its first
 * place, so the work is linear in the text.
 */
function match(text: string, parts: readonly string[]): string[] | undefined {
  const [first = '', ...rest] = parts;
  const last = rest.at(-1) ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return undefined;
  const end = text.length - last.length;
  let from = first.length;
  const values: string[] = [];
  for (const part of rest.slice(0, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return undefined;
    values.push(text.slice(from, at));
    from = at + part.length;
  }
  if (from > end) return undefined;
  return [...values, text.slice(from, end)];
}
