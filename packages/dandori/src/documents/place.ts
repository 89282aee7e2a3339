/** A place in a file: what an editor needs to jump there, and the line to show. */
export interface Place {
  /** Both start at 1. */
  readonly line: number;
  readonly column: number;
  /** The length of the marked part of the line. */
  readonly length: number;
  /** The whole line. */
  readonly text: string;
}

/** Keys and indexes from the top of a file to a value in it. */
export type Path = readonly (string | number)[];

/** The place of a range of text. A range over several lines is shown on its first line. */
export function placeAt(text: string, start: number, end: number): Place {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const newline = text.indexOf('\n', start);
  const lineEnd = newline === -1 ? text.length : newline;
  const line = text.slice(lineStart, lineEnd).replace(/\r$/, '');
  const column = Math.min(start - lineStart, line.length);
  return {
    line: countNewlines(text, lineStart) + 1,
    column: column + 1,
    length: Math.max(1, Math.min(end - start, line.length - column)),
    text: line,
  };
}

function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let index = text.indexOf('\n'); index !== -1 && index < end; index = text.indexOf('\n', index + 1))
    count++;
  return count;
}

/** The path in readable form: `mcpServers.github.args[1]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}
