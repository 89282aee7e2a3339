/** The subset of Markdown that models write: paragraphs, lists, tables, quotes and code. Anything else stays text. */
export type Block =
  | { readonly kind: 'paragraph' | 'code' | 'heading' | 'quote'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly string[] };

export type Piece =
  | { readonly kind: 'text' | 'code' | 'strong' | 'stressed'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string };

const FENCE = /^\s*(```|~~~)/;
const BULLET = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;
const QUOTE = /^\s*> ?(.*)$/;
/** The line below the head of a table. */
const RULE = /^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/;

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let list: { isNumbered: boolean; items: string[] } | undefined;
  const close = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', text: paragraph.join('\n') });
    if (list !== undefined) blocks.push({ kind: 'list', ...list });
    paragraph = [];
    list = undefined;
  };
  const lines = text.split(/\r\n|\r|\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [, fence] = FENCE.exec(line) ?? [];
    const [, number, item] = BULLET.exec(line) ?? [];
    const [, heading] = HEADING.exec(line) ?? [];
    if (fence !== undefined) {
      close();
      // A fence without an end is still being written.
      const last = endOf(lines, index + 1, (one) => one.trim() !== fence);
      blocks.push({ kind: 'code', text: lines.slice(index + 1, last).join('\n') });
      index = last;
    } else if (item !== undefined) {
      const isNumbered = number !== undefined;
      if (list === undefined || list.isNumbered !== isNumbered) {
        close();
        list = { isNumbered, items: [] };
      }
      list.items.push(item);
    } else if (heading !== undefined) {
      close();
      blocks.push({ kind: 'heading', text: heading });
    } else if (QUOTE.test(line)) {
      close();
      const last = endOf(lines, index, (one) => QUOTE.test(one));
      const quoted = lines.slice(index, last).map((one) => QUOTE.exec(one)?.[1] ?? '');
      blocks.push({ kind: 'quote', text: quoted.join('\n') });
      index = last - 1;
    } else if (line.includes('|') && isRule(lines[index + 1]?.trim() ?? '')) {
      close();
      const last = endOf(lines, index + 2, (one) => one.includes('|'));
      blocks.push({ kind: 'table', head: cellsOf(line), rows: lines.slice(index + 2, last).map(cellsOf) });
      index = last - 1;
    } else if (line.trim() === '') close();
    else if (list !== undefined && /^\s{2,}/.test(line))
      list.items.push(`${list.items.pop() ?? ''}\n${line.trim()}`);
    else {
      if (list !== undefined) close();
      paragraph.push(line);
    }
  }
  close();
  return blocks;
}

/** The index of the first line that does not match, or the end. */
function endOf(lines: readonly string[], from: number, isSo: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && isSo(lines[end] ?? '')) end++;
  return end;
}

function isRule(line: string): boolean {
  return line.includes('|') && RULE.test(line);
}

function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

const PIECE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*(?![\s*])([^*\n]*[^*\s])\*(?![\w*])|(https?:\/\/[^\s<>"'`)\]}、。「」]+[^\s<>"'`)\]}、。「」.,;:!?])/g;

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    const [whole, code, strong, stressed, link] = match;
    if (match.index > end) pieces.push({ kind: 'text', text: text.slice(end, match.index) });
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (strong !== undefined) pieces.push({ kind: 'strong', text: strong });
    else if (stressed !== undefined) pieces.push({ kind: 'stressed', text: stressed });
    else pieces.push({ kind: URL.canParse(link ?? '') ? 'link' : 'text', text: link ?? '' });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) });
  return pieces;
}
