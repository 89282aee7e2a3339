import { displayWidth, unturned } from '../model/text.ts';

/** Colours where the stream is a terminal that wants them, plain text everywhere else. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

export function styleFor(stream: NodeJS.WriteStream): Style {
  const wantsColour =
    process.env.NO_COLOR === undefined && (stream.isTTY === true || process.env.FORCE_COLOR !== undefined);
  const paint = (open: number, close: number) => (text: string) =>
    wantsColour ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/**
 * What a tool or a model wrote must not move the cursor, ring the bell, rewrite what stands above, or turn the direction
 * in which a call is read that somebody is to approve.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return unturned(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}

/** One line of at most `width` columns; wide characters count twice, as they do on the screen. */
export function oneLine(text: string, width: number): string {
  const flat = printable(text.replaceAll(/\s+/g, ' ').trim());
  let columns = 0;
  let result = '';
  for (const character of flat) {
    columns += displayWidth(character);
    if (columns > width) return `${result}…`;
    result += character;
  }
  return result;
}

/** Filled up to so many columns. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}
