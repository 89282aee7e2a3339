import type { Event, Live } from '../../model/event.ts';
import { OWN_OPERATIONS } from '../../run/actions/own-operations.ts';
import { createProgress, type Progress } from '../progress.ts';
import { printable } from '../style.ts';
import type { Wording } from './message.ts';

/** Shows the run that the user waits for: first its running tasks, then its answer while it is written. */
export interface Stream {
  event(event: Event): void;
  live(live: Live): void;
  /** Stops drawing, and returns the text that is on the screen. */
  end(): string;
}

interface StreamOptions extends Wording {
  /** The events before the first one that is shown. */
  readonly past: (run: string) => Promise<Event[]>;
}

export function createStream(stdout: NodeJS.WriteStream, { texts, style, past }: StreamOptions): Stream {
  let progress: Progress | undefined = createProgress(stdout, texts);
  let text = '';
  /** Events that wait until the earlier ones have been read. */
  let waiting: Event[] | undefined;
  let isKnown = false;
  /** An answer written together with calls refers to results that do not exist yet, so it is not shown. */
  let hasCalls = false;

  function stopDrawing(): void {
    progress?.end();
    progress = undefined;
  }

  async function catchUp(first: Event): Promise<void> {
    const before = await past(first.run).catch(() => []);
    for (const event of before) if (event.seq < first.seq) progress?.replay(event);
    isKnown = before.length > 0;
    for (const event of waiting ?? []) show(event);
  }

  /** A proposed plan is not shown here, because the question about it shows it. */
  function show(event: Event): void {
    if (event.type === 'plan_proposed') progress?.replay(event);
    else if (isKnown) progress?.event(event);
  }

  function draw(event: Event): void {
    if (isKnown) show(event);
    else if (waiting !== undefined) waiting.push(event);
    else {
      waiting = [event];
      void catchUp(event);
    }
  }

  return {
    event(event) {
      if (event.type === 'decision_started') hasCalls = false;
      if (event.type === 'decision_failed' && text !== '') {
        stdout.write('\n');
        text = '';
      }
      draw(event);
    },
    live(live) {
      if (live.type === 'action_written') hasCalls ||= !OWN_OPERATIONS.has(live.action.operation);
      if (live.type !== 'answer_text') return isKnown ? progress?.live(live) : undefined;
      if (hasCalls) return;
      if (text === '') {
        stopDrawing();
        stdout.write(`${style.green('●')} `);
      }
      text += live.text;
      stdout.write(printable(live.text).replaceAll('\n', '\n  '));
    },
    end() {
      stopDrawing();
      if (text !== '') stdout.write('\n\n');
      return text;
    },
  };
}
