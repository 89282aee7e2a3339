import { OWN_OPERATIONS } from '../../core/own-operations.ts';
import type { Event } from '../../domain/event.ts';
import type { Live } from '../../engine/live.ts';
import { createProgress, type Progress } from '../progress.ts';
import { printable } from '../style.ts';
import type { Wording } from './message.ts';
import { indented } from './message.ts';

/** The run that the person at the terminal waits for: its tasks while they run, then its answer as it is written. */
export interface Stream {
  event(event: Event): void;
  live(live: Live): void;
  /** Stops drawing, and gives the text that stands on the screen. */
  end(): string;
}

export function createStream(stdout: NodeJS.WriteStream, { texts, style }: Wording): Stream {
  let progress: Progress | undefined = createProgress(stdout, texts);
  let text = '';
  /** An answer that is written together with calls speaks of results that nobody has yet. */
  let hasCalls = false;

  function stopDrawing(): void {
    progress?.end();
    progress = undefined;
  }

  return {
    event(event) {
      if (event.type === 'decision_started') hasCalls = false;
      if (event.type === 'decision_failed' && text !== '') {
        stdout.write('\n');
        text = '';
      }
      progress?.event(event);
    },
    live(live) {
      if (live.type === 'action_written') hasCalls ||= !OWN_OPERATIONS.has(live.action.operation);
      if (live.type !== 'answer_text') return progress?.live(live);
      if (hasCalls) return;
      if (text === '') {
        stopDrawing();
        stdout.write(`${style.green('●')} `);
      }
      text += live.text;
      stdout.write(indented('', printable(live.text)).slice(1));
    },
    end() {
      stopDrawing();
      if (text !== '') stdout.write('\n');
      return text;
    },
  };
}
