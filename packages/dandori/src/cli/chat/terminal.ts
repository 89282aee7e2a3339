import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import { createParagraph } from './paragraph.ts';
import { createInbox, type Surface, written } from './surface.ts';

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

export interface TerminalOptions {
  readonly prompt: string;
  /** In place of the prompt while a message goes on over several lines. */
  readonly more: string;
  /** How a message is shown that was entered while another was dealt with. */
  readonly echo: (text: string) => string;
  /** Newest first. */
  readonly history: readonly string[];
  /** Ctrl-C where nothing stands in the line. */
  readonly onInterrupt: () => void;
}

/**
 * A line editor at the bottom of the screen, above which everything else is written. What is typed while a message is
 * being dealt with is kept and comes into view afterwards.
 */
export function openTerminal({ prompt, more, echo, history, onInterrupt }: TerminalOptions): Surface {
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
  stdout.write(PASTE_ON);
  let shown: readonly string[] = [];
  let isBusy = false;
  let isPasting = false;
  let isClosed = false;
  const unseen = new Set<string>();

  function showPrompt(): void {
    if (isBusy || isClosed) return;
    reader.setPrompt(paragraph.isOpen ? more : [...shown, prompt].join('\n'));
    reader.prompt(true);
  }

  function erase(): void {
    if (isBusy || isClosed) return;
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

  input.on('keypress', (_, key: { name?: string } | undefined) => {
    if (key?.name === 'paste-start') isPasting = true;
    if (key?.name === 'paste-end') isPasting = false;
  });
  reader.on('line', (line) => {
    // Lines of a paste belong together, up to the Enter that a person presses.
    const text = paragraph.take(isPasting ? `${line}\\` : line);
    if (text === undefined) showPrompt();
    else if (text.trim() === '') showPrompt();
    else {
      if (isBusy) unseen.add(text);
      inbox.add(text);
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
      for await (const text of inbox.all()) {
        if (unseen.delete(text)) await print(echo(text));
        yield text;
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
      isBusy = true;
      output.isSilent = true;
    },
    ready() {
      isBusy = false;
      output.isSilent = false;
      atTop(reader);
      showPrompt();
    },
    close() {
      isClosed = true;
      stdout.off('resize', resized);
      stdout.write(PASTE_OFF);
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
