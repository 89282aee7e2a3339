import { type RefObject, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { Event } from '#dandori/model/event.ts';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/past.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/fields.tsx';
import type { ViewProps } from '../view.tsx';
import { Fork } from './fork.tsx';
import { LANDMARK_KINDS, type LandmarkKind, marksOf, nearestLandmark } from './landmarks.ts';

/** Lets the user go back to any event. */
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
  const since = durationText(Math.max(0, event.at - (news.events[0]?.at ?? event.at)));
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

const COLOURS: Readonly<Record<LandmarkKind, string>> = {
  decision: 'stroke-busy',
  question: 'stroke-warn',
  failure: 'stroke-bad',
};

/** Each kind has its own height too. */
const ENDS: Readonly<Record<LandmarkKind, number>> = { decision: 4, question: 6, failure: 8 };

/** Marks decisions, questions and failures. Screen reader users get the same with the buttons of `Jumps`. */
function Marks({ events }: { readonly events: readonly Event[] }) {
  const marks = useMemo(() => marksOf(events), [events]);
  return (
    <svg
      aria-hidden="true"
      preserveAspectRatio="none"
      viewBox="0 0 1000 8"
      className="pointer-events-none absolute inset-x-2 -top-1 h-2 w-[calc(100%-1rem)]"
    >
      {marks.map(({ kind, place }) => (
        <path
          key={`${kind} ${place}`}
          d={`M${place * 1000},${8 - ENDS[kind]}V8`}
          className={`${COLOURS[kind]} [stroke-width:2] [vector-effect:non-scaling-stroke]`}
        />
      ))}
    </svg>
  );
}

interface Props {
  readonly events: readonly Event[];
  readonly seq: number;
  readonly show: (seq: number) => void;
}

/** Jumps to the next or previous event of a kind. */
function Jumps({ events, seq, show }: Props) {
  const say = useTexts(texts);
  const [kind, setKind] = useState<LandmarkKind>('decision');
  const [back, on] = [true, false].map((isBack) => nearestLandmark(events, seq, { kind, isBack }));
  const buttons = [
    ['«', say.jumps[kind][0], back],
    ['»', say.jumps[kind][1], on],
  ] as const;
  return (
    <div className="flex items-center gap-0.5">
      <Choice
        label={say.jump}
        value={kind}
        options={LANDMARK_KINDS}
        texts={say.kinds}
        onChoose={setKind}
        isBare
      />
      {buttons.map(([sign, title, target]) => (
        <button
          key={sign}
          type="button"
          aria-label={title}
          title={title}
          disabled={target === undefined}
          onClick={() => target !== undefined && show(target)}
          className="size-7 rounded border border-line hover:bg-sunken disabled:opacity-40"
        >
          <span aria-hidden="true">{sign}</span>
        </button>
      ))}
    </div>
  );
}

interface Player {
  readonly seq: number;
  readonly total: number;
  readonly show: (seq: number) => void;
  readonly isPast: boolean;
}

const EVERY = 120;
/** Any run plays in about half a minute. */
const PICTURES = 250;

function usePlaying({ seq, total, show, isPast }: Player): [boolean, (isPlaying: boolean) => void] {
  const [isPlaying, setIsPlaying] = useState(false);
  const goOn = useEffectEvent(() => {
    const next = seq + Math.max(1, Math.round(total / PICTURES));
    show(next);
    if (next >= total) setIsPlaying(false);
  });
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(goOn, EVERY);
    return () => clearInterval(timer);
  }, [isPlaying]);
  return [
    isPlaying,
    (wanted) => {
      // Playing from the end starts again at the first event.
      if (wanted && !isPast) show(1);
      setIsPlaying(wanted);
    },
  ];
}

const HEIGHT = '--stuck-below';

/** Keeps scroll targets above the element that sticks to the bottom. */
function useRoomAbove(stuck: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { style } = document.documentElement;
    const sizes = new ResizeObserver(([entry]) => {
      const height = entry?.target.getBoundingClientRect().height ?? 0;
      style.setProperty(HEIGHT, `${Math.ceil(height)}px`);
    });
    if (stuck.current !== null) sizes.observe(stuck.current);
    return () => {
      sizes.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, [stuck]);
}
