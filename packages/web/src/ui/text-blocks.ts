/** A text as its writer meant it: paragraphs, lists and code. Anything else stays as it is written. */
export type Block =
  | { readonly kind: 'paragraph' | 'code' | 'heading'; readonly text: string }
  | { readonly kind: 'list'; readonly isNumbered: boolean; readonly items: readonly string[] };

export type Piece =
  | { readonly kind: 'text' | 'code' | 'strong'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string };

const FENCE = /^\s*(```|~~~)/;
const BULLET = /^\s*(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/;
const HEADING = /^#{1,6}\s+(.*)$/;

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
      const end = lines.findIndex((one, at) => at > index && one.trim() === fence);
      // One that is never closed is still being written.
      const last = end < 0 ? lines.length : end;
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

const PIECE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(https?:\/\/[^\s<>"'`)\]}、。「」]+[^\s<>"'`)\]}、。「」.,;:!?])/g;

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    const [whole, code, strong, link] = match;
    if (match.index > end) pieces.push({ kind: 'text', text: text.slice(end, match.index) });
    if (code !== undefined) pieces.push({ kind: 'code', text: code });
    else if (strong !== undefined) pieces.push({ kind: 'strong', text: strong });
    else pieces.push({ kind: URL.canParse(link ?? '') ? 'link' : 'text', text: link ?? '' });
    end = match.index + whole.length;
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) });
  return pieces;
}
