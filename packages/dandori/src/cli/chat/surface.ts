import { createInterface } from 'node:readline';
import { createParagraph } from './message.ts';

/** What was entered at once. */
export interface Input {
  readonly text: string;
  /** The last message in view when it was begun; undefined where nobody looks, as in a pipe. */
  readonly seen?: string | undefined;
}

/** Where a chat takes place: a terminal with a person at it, or a pipe. */
export interface Surface {
  /** Messages as they are entered, to the end of the input. */
  inputs(): AsyncIterable<Input>;
  /** Writes lines where they do not disturb what is being typed. Resolves when they have really been written. */
  print(text: string): Promise<void>;
  /** How the work stands; in view while a message is typed. */
  status(lines: readonly string[]): void;
  /** A message is being dealt with: nothing is typed into what is written meanwhile. */
  busy(): void;
  ready(): void;
  close(): void;
}

/** What was entered and not asked for yet. */
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

/** Resolves when the stream has taken it, also where nobody reads any more. */
export function written(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
}

/** One message a line, answers to stdout, everything about them to stderr. */
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
    print: (text) => written(process.stdout, `${text}\n`),
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
