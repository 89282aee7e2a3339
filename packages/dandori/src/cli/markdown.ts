import { displayWidth } from '../model/text.ts';
import { PLAIN, padded, printable, type Style } from './style.ts';

/**
 * Markdown as a terminal shows it: headings and bold text in bold, lists with bullets, tables with even columns,
 * links with their addresses. Everything else stays as it is written. Control characters are taken out.
 */
export function renderMarkdown(text: string, style: Style): string {
  const lines = printable(text).split('\n');
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const [, fence] = /^\s{0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      const code = untilFence(lines.slice(at + 1), fence);
      shown.push(...code.map((one) => style.cyan(`    ${one}`)));
      at += code.length + 2;
    } else if (isRow(line) && isRule(lines[at + 1] ?? '')) {
      const rows = rowsFrom(lines.slice(at));
      shown.push(...tableLines(rows, style));
      at += rows.length + 1;
    } else {
      shown.push(lineText(line, style));
      at++;
    }
  }
  return shown.join('\n');
}

function untilFence(lines: readonly string[], fence: string): readonly string[] {
  const end = lines.findIndex(
    (line) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '',
  );
  return end < 0 ? lines : lines.slice(0, end);
}

function lineText(line: string, style: Style): string {
  const [, heading] = /^\s{0,3}#{1,6}\s+(.*?)\s*#*$/.exec(line) ?? [];
  if (heading !== undefined) return style.bold(inlineText(heading, style));
  if (/^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return style.dim('─'.repeat(40));
  const [, indent = '', item] = /^(\s*)[-*+]\s+(.*)$/.exec(line) ?? [];
  if (item !== undefined)
    return `${indent}• ${inlineText(
      item.replace(/^\[( |x)\]\s/i, (_, mark) => (mark === ' ' ? '☐ ' : '☑ ')),
      style,
    )}`;
  const [, quote] = /^\s{0,3}>\s?(.*)$/.exec(line) ?? [];
  if (quote !== undefined) return `${style.dim('│')} ${inlineText(quote, style)}`;
  return inlineText(line, style);
}

/** Code is taken out first, so that nothing in it is read as Markdown. */
function inlineText(text: string, style: Style): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? style.cyan(part.slice(1, -1)) : withoutMarks(part, style)))
    .join('');
}

function withoutMarks(text: string, style: Style): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\(\s*([^)\s]+)[^)]*\)/g, (_, label: string, to: string) =>
      label === to || label === '' ? style.cyan(to) : `${label} (${style.cyan(to)})`,
    )
    .replaceAll(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/g, (_, _mark, inner: string) => style.bold(inner))
    .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])/g, (_, inner: string) => inner);
}

function isRow(line: string): boolean {
  return line.includes('|') && line.trim() !== '';
}

function isRule(line: string): boolean {
  return line.includes('-') && line.includes('|') && /^[\s|:-]+$/.test(line);
}

/** The header and the rows of the table. The rule between them is left out. */
function rowsFrom(lines: readonly string[]): string[][] {
  const [header = '', , ...rest] = lines;
  const end = rest.findIndex((line) => !isRow(line));
  return [header, ...(end < 0 ? rest : rest.slice(0, end))].map(cellsIn);
}

function cellsIn(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
}

/** Widths are those of the text that is seen, and wide characters take two columns. */
function tableLines(rows: readonly (readonly string[])[], style: Style): string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, index) =>
    Math.max(...rows.map((row) => displayWidth(inlineText(row[index] ?? '', PLAIN)))),
  );
  const lineOf = (row: readonly string[], paint: (text: string) => string) =>
    widths
      .map((width, index) => {
        const plain = inlineText(row[index] ?? '', PLAIN);
        const gap = padded(plain, width).slice(plain.length);
        return paint(inlineText(row[index] ?? '', style)) + gap;
      })
      .join('  ')
      .trimEnd();
  const [header = [], ...body] = rows;
  const rule = style.dim(widths.map((width) => '─'.repeat(width)).join('  '));
  return [lineOf(header, style.bold), rule, ...body.map((row) => lineOf(row, PLAIN.bold))];
}
