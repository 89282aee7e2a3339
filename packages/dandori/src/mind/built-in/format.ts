import type { Json, JsonObject } from '../../domain/json.ts';
import { meaningOf } from './dictionary.ts';
import type { Language } from './goal.ts';
import { isObject } from './schema.ts';
import { stem } from './stem.ts';
import { tableOf } from './table.ts';
import { spaced } from './words.ts';

const LONGEST = 6_000;

/** A result as a person reads it: nothing is added to what it holds. */
export function formatted(result: Json, language: Language): string {
  const text = block(readable(result), language, 0);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Tools without structured output often send JSON as text. */
function readable(result: Json): Json {
  if (typeof result !== 'string' || !/^\s*[[{]/.test(result) || result.length > 1_000_000) return result;
  try {
    return JSON.parse(result) as Json;
  } catch {
    return result;
  }
}

function block(value: Json, language: Language, depth: number): string {
  if (Array.isArray(value)) return list(value, language, depth);
  if (!isObject(value)) return scalar(value, language);
  if (depth > 3) return JSON.stringify(value);
  const entries = telling(value, language);
  const [only, ...others] = entries;
  if (only === undefined) return language === 'ja' ? '（空）' : '(empty)';
  if (others.length === 0) return block(only[1], language, depth + 1);
  return withRows(value, entries)
    .map(([key, item]) =>
      key === 'rows' && Array.isArray(item)
        ? block(item, language, depth + 1)
        : field(key, item, { language, depth }),
    )
    .join('\n');
}

/** Fields that say something of their own: not empty, not twice the same, and not in the other language. */
function telling(value: JsonObject, language: Language): [string, Json][] {
  const seen = new Set<string>();
  return Object.entries(value).filter(([key, item]) => {
    const isForOthers =
      language === 'ja'
        ? Object.hasOwn(value, `${key}_ja`)
        : key.endsWith('_ja') && Object.hasOwn(value, key.slice(0, -3));
    const text = typeof item === 'object' ? '' : String(item);
    const isRepeated = typeof item === 'string' && seen.has(text);
    seen.add(text);
    return item !== null && item !== '' && !isForOthers && !isRepeated;
  });
}

/** `columns` beside `rows` of plain lists are one table. */
function withRows({ columns, rows }: JsonObject, entries: [string, Json][]): [string, Json][] {
  if (!Array.isArray(columns) || !Array.isArray(rows)) return entries;
  const isMatrix = rows.every(Array.isArray);
  const isNamed = rows.every(isObject);
  if (!isMatrix && !isNamed) return entries;
  const table = rows.map(
    (row): Json =>
      Array.isArray(row)
        ? Object.fromEntries(columns.map((name, index) => [heading(name), row[index] ?? null]))
        : row,
  );
  return entries.flatMap(([key, item]): [string, Json][] =>
    key === 'columns' ? [] : key === 'rows' ? [[key, table]] : [[key, item]],
  );
}

function heading(column: Json): string {
  if (isObject(column) && typeof column.name === 'string') return column.name;
  return typeof column === 'string' ? column : JSON.stringify(column);
}

function field(key: string, value: Json, { language, depth }: { language: Language; depth: number }): string {
  const name = label(key, language);
  const text = block(value, language, depth + 1);
  if (!text.includes('\n')) return `${name}: ${text}`;
  return `${name}:\n${text.replace(/^/gm, '  ')}`;
}

function list(items: readonly Json[], language: Language, depth: number): string {
  const more = (count: number) => (language === 'ja' ? `… ほか${count}件` : `… and ${count} more`);
  if (items.length === 0) return language === 'ja' ? '（なし）' : '(none)';
  const rows = items.filter(isObject);
  if (rows.length === items.length)
    return rows.length === 1 && rows[0] !== undefined && depth > 0
      ? block(rows[0], language, depth + 1)
      : tableOf(rows, more);
  const shown = items
    .slice(0, 30)
    .map((item) => (isObject(item) || Array.isArray(item) ? JSON.stringify(item) : scalar(item, language)));
  const rest = items.length > 30 ? [more(items.length - 30)] : [];
  return [...shown.map((text) => `- ${text}`), ...rest].join('\n');
}

function scalar(value: Json, language: Language): string {
  if (value === null) return language === 'ja' ? '（なし）' : '(none)';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const UNITS: Readonly<Record<string, string>> = {
  c: '°C',
  celsius: '°C',
  f: '°F',
  fahrenheit: '°F',
  kmh: 'km/h',
  kph: 'km/h',
  mm: 'mm',
  percent: '%',
  ms: 'ms',
  kg: 'kg',
  km: 'km',
};

/** `temperature_c` is "temperature (°C)", and 気温 where the dictionary has all of its words. */
export function label(key: string, language: Language): string {
  const words = spaced(key).trim().split(' ');
  const last = words.at(-1)?.toLowerCase() ?? '';
  const unit = words.length > 1 && Object.hasOwn(UNITS, last) ? UNITS[last] : undefined;
  const named = (unit === undefined ? words : words.slice(0, -1)).filter(
    (word, index) => index === 0 || word !== 'ja',
  );
  const japanese = named.map((word) => meaningOf(stem(word))?.japanese);
  // Two words side by side are seldom a Japanese word, so only a single one is put into Japanese.
  const name = (language === 'ja' && named.length === 1 ? japanese[0] : undefined) ?? named.join(' ');
  return unit === undefined ? name : `${name} (${unit})`;
}
