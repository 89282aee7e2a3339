import { useReactFlow } from '@xyflow/react';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

export function ZoomButtons({ onFit }: { readonly onFit: () => void }) {
  const say = useTexts(texts);
  const flow = useReactFlow();
  const buttons = [
    ['+', say.zoomIn, () => void flow.zoomIn()],
    ['−', say.zoomOut, () => void flow.zoomOut()],
    ['⤢', say.fit, onFit],
  ] as const;
  return (
    <div className="absolute bottom-2 left-2 flex overflow-hidden md:bottom-3 md:left-3 md:flex-col rounded border border-line bg-sheet shadow-sm">
      {buttons.map(([sign, name, act]) => (
        <button
          key={sign}
          type="button"
          aria-label={name}
          title={name}
          onClick={act}
          className="size-8 border-line not-last:border-r md:not-last:border-r-0 md:not-last:border-b hover:bg-sunken focus-visible:outline-offset-[-2px]"
        >
          {sign}
        </button>
      ))}
    </div>
  );
}
