import { useRef, useState } from 'react';
import { duration } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import type { ViewProps } from '../view.ts';
import { Fork } from './fork.tsx';
import { Jumps } from './jumps.tsx';
import { Marks } from './marks.tsx';
import { texts } from './texts.ts';
import { usePlaying } from './use-playing.ts';
import { useRoomAbove } from './use-room-above.ts';

/** Shows the run as it was after any of its events. */
export function Slider(props: ViewProps) {
  const { events, news, isPast, showAt } = props;
  const say = useTexts(texts);
  const [isForking, setIsForking] = useState(false);
  const section = useRef<HTMLElement>(null);
  useRoomAbove(section);
  const total = news.events.length;
  const event = events.at(-1);
  const seq = event?.seq ?? total;
  const show = (wanted: number) => showAt(wanted >= total ? undefined : Math.max(1, wanted));
  const [isPlaying, setIsPlaying] = usePlaying({ seq, total, show, isPast });
  if (event === undefined) return null;
  const canFork = isPast || props.state.end === undefined;
  const since = duration(Math.max(0, event.at - (news.events[0]?.at ?? event.at)));
  return (
    <section
      ref={section}
      aria-label={say.past}
      className={`sticky bottom-0 z-20 -mx-4 flex flex-col gap-1 border-t bg-sheet px-4 py-2 ${isPast ? 'border-accent border-t-2' : 'border-line'}`}
    >
      <div className="relative">
        <Marks events={news.events} />
        <input
          type="range"
          aria-label={say.slider}
          aria-valuetext={say.at(seq, total, event.type)}
          min={1}
          max={total}
          value={seq}
          onChange={({ target }) => show(Number(target.value))}
          className="relative block h-5 w-full cursor-pointer accent-accent"
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Steps seq={seq} total={total} show={show} isPlaying={isPlaying} onPlay={setIsPlaying} />
        <Jumps events={news.events} seq={seq} show={show} />
        <p className="min-w-0 flex-1 basis-40 truncate text-faint text-xs tabular-nums">
          <span className={isPast ? 'font-semibold text-accent' : ''}>
            {seq}/{total}
          </span>{' '}
          <span className="font-mono">{event.type}</span> <time dateTime={iso(event.at)}>+{since}</time>
        </p>
        {canFork && (
          <Button className="px-2.5 py-1" onClick={() => setIsForking(true)}>
            {say.fork}
          </Button>
        )}
        {isPast && (
          <Button look="main" className="px-2.5 py-1" onClick={() => showAt(undefined)}>
            {say.backToNow}
          </Button>
        )}
      </div>
      <p role="status" className="sr-only">
        {isPast ? say.isPast : ''}
      </p>
      {isForking && <Fork {...props} onClose={() => setIsForking(false)} />}
    </section>
  );
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

interface StepsProps {
  readonly seq: number;
  readonly total: number;
  readonly show: (seq: number) => void;
  readonly isPlaying: boolean;
  readonly onPlay: (isPlaying: boolean) => void;
}

function Steps({ seq, total, show, isPlaying, onPlay }: StepsProps) {
  const say = useTexts(texts);
  const buttons = [
    ['|‹', say.first, () => show(1), seq <= 1],
    ['‹', say.back, () => show(seq - 1), seq <= 1],
    [isPlaying ? '‖' : '▶', isPlaying ? say.stop : say.play, () => onPlay(!isPlaying), false],
    ['›', say.on, () => show(seq + 1), seq >= total],
  ] as const;
  return (
    <div className="flex gap-0.5">
      {buttons.map(([sign, name, act, isOff]) => (
        <button
          key={name}
          type="button"
          aria-label={name}
          title={name}
          disabled={isOff}
          onClick={act}
          className="size-7 rounded border border-line hover:bg-sunken disabled:opacity-40"
        >
          <span aria-hidden="true">{sign}</span>
        </button>
      ))}
    </div>
  );
}
