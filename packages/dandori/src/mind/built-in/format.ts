import { meaningOf, stem } from '../../core/dictionary.ts';
import type { Language } from '../../core/language.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import { parsed } from './property.ts';
import { isObject } from './schema.ts';
import { spaced } from './words.ts';

const LONGEST = 6_000;
const MOST_ROWS = 20;
const MOST_COLUMNS = 10;
const WIDEST_CELL = 40;

/** A result as a person reads it: nothing is added to what it holds. */
export function formatted(result: Json, language: Language): string {
  const text = block((typeof result === 'string' ? parsed(result) : undefined) ?? result, language, 0);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

function block(value: Json, language: Language, depth: number): string {
  if (Array.isArray(value)) return list(value, language);
  if (!isObject(value)) return cell(value);
  if (depth > 3) return stringifyJson(value);
  const fields = telling(withNamedRows(value), language);
  if (fields.length === 1) return block(fields[0]?.[1] ?? null, language, depth + 1);
  return fields
    .map(([key, item]) => field(label(key, language), block(item, language, depth + 1)))
    .join('\n');
}

/** Fields that say something of their own: not empty, and not in the other language. */
function telling(value: JsonObject, language: Language): [string, Json][] {
  return Object.entries(value).filter(([key, item]) => {
    const other = language === 'ja' ? `${key}_ja` : key.replace(/_ja$/, '');
    return item !== null && item !== '' && (other === key || !Object.hasOwn(value, other));
  });
}

/** `columns` beside `rows` are one table. */
function withNamedRows(value: JsonObject): JsonObject {
  const { columns, rows, ...others } = value;
  if (!Array.isArray(columns) || !Array.isArray(rows)) return value;
  const named = rows.map((row) =>
    Array.isArray(row) ? Object.fromEntries(row.map((item, index) => [cell(columns[index]), item])) : row,
  );
  return { rows: named, ...others };
}

function field(name: string, text: string): string {
  return text.includes('\n') ? `${name}:\n${text.replace(/^/gm, '  ')}` : `${name}: ${text}`;
}

/** Objects as a table whose columns line up; anything else one in a line. */
function list(items: readonly Json[], language: Language): string {
  if (items.length === 0) return language === 'ja' ? '（なし）' : '(none)';
  const shown = items.slice(0, MOST_ROWS);
  const rest = items.length - shown.length;
  const more = rest === 0 ? [] : [language === 'ja' ? `… ほか${rest}件` : `… and ${rest} more`];
  if (!shown.every(isObject)) return [...shown.map((item) => `- ${cell(item)}`), ...more].join('\n');
  const columns = [...new Set(shown.flatMap(Object.keys))].slice(0, MOST_COLUMNS);
  const rows = [columns, ...shown.map((row) => columns.map((column) => shortened(cell(row[column]))))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => width(row[index] ?? ''))));
  const lines = rows.map((row) =>
    row.map((text, index) => text + ' '.repeat((widths[index] ?? 0) - width(text))),
  );
  const rule = widths.map((count) => '-'.repeat(count));
  const [head = [], ...body] = lines;
  return [...[head, rule, ...body].map((line) => line.join('  ').trimEnd()), ...more].join('\n');
}

function cell(value: Json = null): string {
  return typeof value === 'string' ? value : value === null ? '' : stringifyJson(value);
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= WIDEST_CELL ? line : `${line.slice(0, WIDEST_CELL - 1)}…`;
}

/** Characters of East Asia are as wide as two. */
function width(text: string): number {
  return (
    text.length +
    (text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g)?.length ?? 0)
  );
}

const UNITS: Readonly<Record<string, string>> = { c: '°C', f: '°F', kmh: 'km/h', percent: '%' };

/** `temperature_c` is "temperature (°C)", and 気温 (°C) where the dictionary has it. */
function label(key: string, language: Language): string {
  const [, name = '', unit] = /^(.*?)(?: (c|f|kmh|percent))?$/.exec(spaced(key.replace(/_ja$/, ''))) ?? [];
  const meaning = meaningOf(stem(name)) ?? meaningOf(stem(name.replaceAll(' ', '')));
  const shown = (language === 'ja' ? meaning?.japanese : undefined) ?? name;
  return `${shown}${unit === undefined ? '' : ` (${UNITS[unit]})`}`;
}
