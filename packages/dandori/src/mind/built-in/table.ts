import type { Json, JsonObject } from '../../domain/json.ts';

const MOST_ROWS = 20;
const MOST_COLUMNS = 10;
const WIDEST_CELL = 40;

/** Rows as text in columns that line up, also where characters are as wide as two. */
export function tableOf(rows: readonly JsonObject[], more: (count: number) => string): string {
  const columns = [...new Set(rows.slice(0, MOST_ROWS).flatMap(Object.keys))].slice(0, MOST_COLUMNS);
  const shown = rows.slice(0, MOST_ROWS).map((row) => columns.map((column) => cell(row[column])));
  const widths = columns.map((column, index) =>
    Math.max(width(column), ...shown.map((row) => width(row[index] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => padded(text, widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  const lines = [line(columns), line(widths.map((count) => '-'.repeat(count))), ...shown.map(line)];
  return [...lines, ...(rows.length > MOST_ROWS ? [more(rows.length - MOST_ROWS)] : [])].join('\n');
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ');
  return text.length <= WIDEST_CELL ? text : `${text.slice(0, WIDEST_CELL - 1)}…`;
}

function padded(text: string, to: number): string {
  return text + ' '.repeat(Math.max(0, to - width(text)));
}

function width(text: string): number {
  let columns = 0;
  for (const character of text)
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1;
  return columns;
}
