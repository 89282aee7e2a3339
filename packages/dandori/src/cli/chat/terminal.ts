import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import { displayWidth } from '../../model/text.ts';
import { createParagraph } from './message.ts';
import { createInbox, type Input, type Surface, writeTo } from './surface.ts';

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

interface TerminalOptions {
  readonly prompt: string;
  /** Shown instead of the prompt while a message continues over several lines. */
  readonly more: string;
  /** Formats a message that was entered while another one was being handled. */
  readonly echo: (text: string) => string;
  /** Newest first. */
  readonly history: readonly string[];
  /** The last message that was shown, or an empty string. */
  readonly lastShown: () => string;
  /** Called for Ctrl-C on an empty line. */
  readonly onInterrupt: () => void;
}

/**
 * A line editor at the bottom of the screen. All other output is written above it. Text that the user types
 * while a message is being handled is kept, and shown afterwards.
 */
export function openTerminal(options: TerminalOptions): Surface {
  const { prompt, more, echo, history, lastShown, onInterrupt } = options;
  const { stdin: input, stdout } = process;
  const inbox = createInbox();
  const paragraph = createParagraph();
  const output = new MutedOutput();
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
  /** Whether the prompt is on the screen, with the cursor in it. */
  let isOpen = false;
  let isPasting = false;
  let isClosed = false;
  const unechoed = new Set<Input>();
  /** The last shown message when the user typed the first character of the line. */
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
    const isWritten = writeTo(stdout, `${text}\n`);
    showPrompt();
    await isWritten;
  }

  /** Removes the status lines above an entered message, because they are out of date. */
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
    if (!isBusy && isOpen) withoutStatus(line);
    isOpen = false;
    // Pasted lines are joined until the user presses Enter.
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

/** The editor redraws from the row where it last began. After an erase, that is the cursor's row. */
function atTop(reader: Interface): void {
  (reader as Interface & { prevRows: number }).prevRows = 0;
}

/** The terminal as the line editor sees it. While silent, typed text is not echoed into other output. */
class MutedOutput extends Writable {
  isSilent = false;

  get columns(): number {
    return process.stdout.columns || 80;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    // Written at once and not buffered, to keep the order with direct writes to the terminal.
    if (!this.isSilent) process.stdout.write(chunk);
    done();
  }
}
