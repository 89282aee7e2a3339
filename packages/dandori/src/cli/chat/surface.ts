import { createInterface } from 'node:readline';
import { createParagraph } from './message.ts';

/** One message that the user entered. */
export interface Input {
  readonly text: string;
  /** The last message on the screen when the user began to type. Undefined in a pipe. */
  readonly seen?: string | undefined;
}

/** Where a chat takes place: a user's terminal, or a pipe. */
export interface Surface {
  /** The messages that the user enters, until the input ends. */
  inputs(): AsyncIterable<Input>;
  /** Writes lines without disturbing what the user types. Resolves when they have really been written. */
  print(text: string): Promise<void>;
  /** Shows the status of the work while the user types. */
  status(lines: readonly string[]): void;
  /** A message is being handled. Typed text is not echoed into the output until `ready`. */
  busy(): void;
  ready(): void;
  close(): void;
}

/** Messages that were entered and not read yet. */
interface Inbox {
  add(input: Input): void;
  end(): void;
  all(): AsyncIterable<Input>;
}

export function createInbox(): Inbox {
  const waiting: Input[] = [];
  let hasEnded = false;
  let wake = () => {};
  return {
    add(input) {
      waiting.push(input);
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    async *all() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (hasEnded) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}

/** Resolves when the stream has accepted the text, even if its reader is gone. */
export function writeTo(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}

/** Reads one message per line. Answers go to stdout, and everything else to stderr. */
export function openPipe({ isQuiet }: { isQuiet: boolean }): Surface {
  const inbox = createInbox();
  const paragraph = createParagraph();
  const reader = createInterface({ input: process.stdin });
  let shown = '';
  reader.on('line', (line) => {
    const text = paragraph.take(line);
    if (text !== undefined) inbox.add({ text });
  });
  reader.on('close', () => {
    const rest = paragraph.rest();
    if (rest !== '') inbox.add({ text: rest });
    inbox.end();
  });
  return {
    inputs: inbox.all,
    print: (text) => writeTo(process.stdout, `${text}\n`),
    status(lines) {
      const text = lines.join('\n');
      if (text !== '' && text !== shown && !isQuiet) process.stderr.write(`${text}\n`);
      shown = text;
    },
    busy() {},
    ready() {},
    close: () => reader.close(),
  };
}
