import { useTexts } from '../shell/language.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly onIn: () => void;
  readonly onOut: () => void;
  readonly onFit: () => void;
  /** Where they stand. */
  readonly className: string;
  readonly isUpright?: boolean;
}

export function ZoomButtons({ onIn, onOut, onFit, className, isUpright = false }: Props) {
  const say = useTexts(texts);
  const buttons = [
    ['+', say.zoomIn, onIn],
    ['−', say.zoomOut, onOut],
    ['⤢', say.fit, onFit],
  ] as const;
  const between = isUpright ? 'md:not-last:border-r-0 md:not-last:border-b' : '';
  return (
    <div
      className={`absolute flex overflow-hidden rounded border border-line bg-sheet shadow-sm ${isUpright ? 'md:flex-col' : ''} ${className}`}
    >
      {buttons.map(([sign, name, act]) => (
        <button
          key={sign}
          type="button"
          aria-label={name}
          title={name}
          onClick={act}
          className={`size-8 border-line not-last:border-r hover:bg-sunken focus-visible:outline-offset-[-2px] ${between}`}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}
