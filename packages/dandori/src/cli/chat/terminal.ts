import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import { displayWidth } from '../../model/text.ts';
import { createParagraph } from './message.ts';
import { createInbox, type Input, type Surface, written } from './surface.ts';

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

interface TerminalOptions {
  readonly prompt: string;
  /** In place of the prompt while a message goes on over several lines. */
  readonly more: string;
  /** How a message is shown that was entered while another was dealt with. */
  readonly echo: (text: string) => string;
  /** Newest first. */
  readonly history: readonly string[];
  /** The last message that has been shown; empty where there was none. */
  readonly lastShown: () => string;
  /** Ctrl-C where nothing stands in the line. */
  readonly onInterrupt: () => void;
}

/**
 * A line editor at the bottom of the screen, above which everything else is written. What is typed while a message is
 * being dealt with is kept and comes into view afterwards.
 */
export function openTerminal(options: TerminalOptions): Surface {
  const { prompt, more, echo, history, lastShown, onInterrupt } = options;
  const { stdin: input, stdout } = process;
  const inbox = createInbox();
  const paragraph = createParagraph();
  const output = new Muffled();
  const reader = createInterface({
    input,
    output,
    terminal: true,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
  });
  const resized = () => output.emit('resize');
  stdout.on('resize', resized);
  const asBefore = () => void stdout.write(PASTE_OFF);
  stdout.write(PASTE_ON);
  process.once('exit', asBefore);
  let shown: readonly string[] = [];
  let isBusy = false;
  /** Whether the prompt stands on the screen, with the cursor in it. */
  let isOpen = false;
  let isPasting = false;
  let isClosed = false;
  const unechoed = new Set<Input>();
  /** What was in view when the first letter of the line was typed. */
  let seen = lastShown();

  function showPrompt(): void {
    if (isBusy || isClosed) return;
    reader.setPrompt(paragraph.isOpen ? more : [...shown, prompt].join('\n'));
    reader.prompt(true);
    isOpen = true;
  }

  function erase(): void {
    if (isBusy || isClosed || !isOpen) return;
    isOpen = false;
    const { rows } = reader.getCursorPos();
    moveCursor(stdout, 0, -rows);
    cursorTo(stdout, 0);
    clearScreenDown(stdout);
    atTop(reader);
  }

  async function print(text: string): Promise<void> {
    erase();
    const isWritten = written(stdout, `${text}\n`);
    showPrompt();
    await isWritten;
  }

  /** How the work stood when it was typed is of no interest above what was said. */
  function withoutStatus(line: string): void {
    if (shown.length === 0 || paragraph.isOpen || displayWidth(line) + 4 > output.columns) return;
    moveCursor(stdout, 0, -shown.length - 1);
    cursorTo(stdout, 0);
    clearScreenDown(stdout);
    stdout.write(`${prompt}${line}\n`);
  }

  input.on('keypress', (_, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true;
    if (key?.name === 'paste-end') isPasting = false;
    if (reader.line.length <= 1 && !paragraph.isOpen) seen = lastShown();
  });
  reader.on('line', (line) => {
    // Lines of a paste belong together, up to the Enter that a person presses.
    if (!isBusy && isOpen) withoutStatus(line);
    isOpen = false;
    const text = paragraph.take(isPasting ? `${line}\\` : line);
    if (text === undefined) showPrompt();
    else if (text.trim() === '') showPrompt();
    else {
      const input = { text, seen };
      if (isBusy) unechoed.add(input);
      inbox.add(input);
    }
  });
  reader.on('SIGINT', () => {
    const isEmpty = reader.line === '' && !paragraph.isOpen;
    if (isBusy || isEmpty) return onInterrupt();
    paragraph.rest();
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    showPrompt();
  });
  reader.on('close', () => inbox.end());

  return {
    async *inputs() {
      for await (const input of inbox.all()) {
        if (unechoed.delete(input)) await print(echo(input.text));
        yield input;
      }
    },
    print,
    status(lines) {
      if (lines.join('\n') === shown.join('\n')) return;
      erase();
      shown = lines;
      showPrompt();
    },
    busy() {
      erase();
      isBusy = true;
      output.isSilent = true;
    },
    ready() {
      isBusy = false;
      output.isSilent = false;
      erase();
      atTop(reader);
      showPrompt();
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      stdout.off('resize', resized);
      process.off('exit', asBefore);
      asBefore();
      reader.close();
    },
  };
}

/** The editor goes up to where it last began; after an erasure that is where the cursor is. */
function atTop(reader: Interface): void {
  (reader as Interface & { prevRows: number }).prevRows = 0;
}

/** The terminal as the line editor sees it: what is typed while something else is written is not echoed into that. */
class Muffled extends Writable {
  isSilent = false;

  get columns(): number {
    return process.stdout.columns || 80;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    // Nothing is kept back: what is written beside it must come before it or after it, as it was said.
    if (!this.isSilent) process.stdout.write(chunk);
    done();
  }
}
