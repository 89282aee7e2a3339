import type { Tally as TallyOfWork } from '#dandori/model/conversation.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from './texts.ts';

/** How far the work is: by steps where the plan has some. */
export function Tally({ tally: { done, failed, total, steps } }: { readonly tally: TallyOfWork }) {
  const say = useTexts(texts);
  const shown = steps ?? { done, total };
  if (shown.total === 0) return null;
  return (
    <div className="flex items-center gap-3 text-faint text-xs">
      <progress
        aria-label={say.progress}
        value={shown.done}
        max={shown.total}
        className="h-1.5 w-24 appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <span>{(steps === undefined ? say.tasks : say.steps)(shown.done, shown.total)}</span>
      {failed > 0 && <span className="text-bad">✕ {say.failed(failed)}</span>}
    </div>
  );
}
