import { useTexts } from '../shell/language.tsx';
import { texts } from './texts.ts';

/** An answer while it is written. Who listens hears it once it is whole. */
export function Writing({ text }: { readonly text: string }) {
  const say = useTexts(texts);
  return (
    <div className="flex flex-col gap-1">
      <p className="text-faint text-xs">
        {say.agent} · {say.writing}
      </p>
      <p className="whitespace-pre-wrap break-words">
        {text}
        <span
          aria-hidden="true"
          className="ml-0.5 inline-block h-4 w-1.5 animate-pulse bg-accent align-text-bottom"
        />
      </p>
    </div>
  );
}
