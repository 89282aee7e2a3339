import { useTexts } from '../shell/language.tsx';
import { RichText } from '../ui/rich-text.tsx';
import { About } from './about.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly text: string;
  /** Of the run that it answers, where something else was said last. */
  readonly goal: string | undefined;
}

/** An answer while it is written. Who listens hears it once it is whole. */
export function Writing({ text, goal }: Props) {
  const say = useTexts(texts);
  return (
    <div className="flex flex-col gap-1">
      <p className="flex min-w-0 items-center gap-2 text-faint text-xs">
        {say.agent} · {say.writing}
        {goal !== undefined && <About goal={goal} />}
      </p>
      <RichText text={text} />
      <span aria-hidden="true" className="h-4 w-1.5 animate-pulse bg-accent" />
    </div>
  );
}
