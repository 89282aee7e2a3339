import type { RunClient, Runtime } from '../app/index.ts';
import { blobsOf } from '../model/event-kinds.ts';
import { isPicture } from '../views/media.ts';

/** How a terminal shows pictures. */
type Protocol = 'iterm' | 'kitty';

/** Undefined if the terminal shows none. Inside tmux and screen the sequences would be lost or shown as text. */
export function pictureProtocol(env: NodeJS.ProcessEnv): Protocol | undefined {
  const { TERM = '', TERM_PROGRAM = '', LC_TERMINAL, KITTY_WINDOW_ID, TMUX } = env;
  if (TMUX !== undefined || /^(?:screen|tmux|dumb)/.test(TERM)) return undefined;
  if (KITTY_WINDOW_ID !== undefined || TERM === 'xterm-kitty' || TERM_PROGRAM === 'ghostty') return 'kitty';
  const isIterm = /^(?:iTerm\.app|WezTerm|mintty|rio)$/.test(TERM_PROGRAM) || LC_TERMINAL === 'iTerm2';
  return isIterm ? 'iterm' : undefined;
}

/** The most characters of a kitty sequence. */
const CHUNK = 4096;

/** The escape sequence of a picture. Undefined if the terminal can't show this type. */
export function pictureSequence(
  protocol: Protocol,
  { type, data }: { readonly type: string; readonly data: string },
): string | undefined {
  // A server chose the text. Nothing in it may end the sequence.
  if (!isPicture(type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  if (protocol === 'iterm') return `\u001b]1337;File=inline=1;preserveAspectRatio=1:${data}\u0007`;
  if (type !== 'image/png') return undefined;
  const chunks = data.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? [];
  return chunks
    .map((chunk, index) => {
      const first = index === 0 ? 'a=T,f=100,q=2,' : '';
      return `\u001b_G${first}m=${index === chunks.length - 1 ? 0 : 1};${chunk}\u001b\\`;
    })
    .join('');
}

/** A run may have taken hundreds of screenshots. */
const MOST_SHOWN = 3;
/** In thousands of characters of base64, which is the unit of a page of text. */
const LARGEST = 8_000;

/** Shows the last pictures in the results of a run, if both streams are a terminal that can. */
export async function showPictures(
  run: string,
  dandori: RunClient & Partial<Pick<Runtime, 'result'>>,
): Promise<void> {
  const protocol = pictureProtocol(process.env);
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true;
  if (protocol === undefined || !isTerminal || dandori.result === undefined) return;
  const pictures = (await dandori.events(run)).flatMap((event) =>
    event.type !== 'task_succeeded'
      ? []
      : blobsOf(event).flatMap(({ media = [] }) =>
          media.filter(({ type }) => isPicture(type)).map((one) => ({ ...one, task: event.data.task })),
        ),
  );
  for (const { task, path, type } of pictures.slice(-MOST_SHOWN)) {
    const part = await dandori.result(run, task, { path, offset: 0, limit: LARGEST });
    if (part.kind !== 'text' || part.text.length < part.total) continue;
    const sequence = pictureSequence(protocol, { type, data: part.text });
    if (sequence !== undefined) process.stderr.write(`${sequence}\n`);
  }
}
