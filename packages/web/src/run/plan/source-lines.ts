/** The offset of a line and column, which start at 1. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let count = 1; count < line; count++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  const end = endOfLine(text, start);
  return Math.min(start + column - 1, end);
}

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

export const INDENT = '  ';

/** The lines from `start` to `end`, indented or outdented, and their range. */
export function indented(
  text: string,
  { start, end, isOut }: { start: number; end: number; isOut: boolean },
): { from: number; to: number; text: string } {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = endOfLine(text, Math.max(start, end - 1));
  const lines = text.slice(from, to).split('\n');
  const moved = lines.map((line) => (isOut ? line.replace(/^ {1,2}/, '') : `${INDENT}${line}`));
  return { from, to, text: moved.join('\n') };
}

/** The indentation of the current line. */
export function indentAt(text: string, position: number): string {
  const from = text.lastIndexOf('\n', position - 1) + 1;
  const [blanks = ''] = /^ */.exec(text.slice(from, position)) ?? [];
  return blanks;
}
