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
    <div className="absolute bottom-3 left-3 flex flex-col overflow-hidden rounded border border-line bg-sheet shadow-sm">
      {buttons.map(([sign, name, act]) => (
        <button
          key={sign}
          type="button"
          aria-label={name}
          title={name}
          onClick={act}
          className="size-8 border-line not-last:border-b hover:bg-sunken focus-visible:outline-offset-[-2px]"
        >
          {sign}
        </button>
      ))}
    </div>
  );
}
