import { createInterface } from 'node:readline';
import { createParagraph } from './paragraph.ts';
import { createInbox, type Surface, written } from './surface.ts';

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
