import { displayWidth, withVisibleTurns } from '../model/text.ts';
import type { Effect } from '../model/tool.ts';

/** Colours if the stream is a terminal that supports them, otherwise plain text. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

const same = (text: string) => text;

/** Without colours. */
export const PLAIN: Style = { bold: same, dim: same, red: same, green: same, yellow: same, cyan: same };

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
 * Removes control characters from the text of tools and models. Such text must not move the cursor, overwrite
 * earlier output, or reverse the reading direction of a call that the user approves.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return withVisibleTurns(text).replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');
}

/** The same as one line: a name or a label with a line break could look like another line of the question. */
export function printableLine(text: string): string {
  return printable(text.replaceAll(/\s*[\n\r\u2028\u2029]\s*/g, ' '));
}

/** One line of at most `width` columns. Wide characters count as two. */
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

/** Padded with spaces to `width` columns. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

const EFFECT_COLOURS: Readonly<Record<Effect, 'green' | 'yellow' | 'red'>> = {
  read: 'green',
  idempotent: 'yellow',
  write: 'yellow',
  destructive: 'red',
};

/** The name of an effect in its colour, as wide as the longest name. */
export function effectCell(effect: Effect, names: Readonly<Record<Effect, string>>, style: Style): string {
  const width = Math.max(...Object.values(names).map(displayWidth));
  return style[EFFECT_COLOURS[effect]](padded(names[effect], width));
}
