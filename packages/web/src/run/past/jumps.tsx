import { useState } from 'react';
import type { Event } from '#dandori/model/event.ts';
import { useTexts } from '../../shell/language.tsx';
import { Choice } from '../../ui/choice.tsx';
import { LANDMARK_KINDS, type LandmarkKind, nearestLandmark } from './landmarks.ts';
import { texts } from './texts.ts';

interface Props {
  readonly events: readonly Event[];
  readonly seq: number;
  readonly show: (seq: number) => void;
}

/** To the next event of a kind. */
export function Jumps({ events, seq, show }: Props) {
  const say = useTexts(texts);
  const [kind, setKind] = useState<LandmarkKind>('decision');
  const name = say.kinds[kind];
  const [back, on] = [true, false].map((isBack) => nearestLandmark(events, seq, { kind, isBack }));
  const buttons = [
    ['«', say.previous(name), back],
    ['»', say.next(name), on],
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
