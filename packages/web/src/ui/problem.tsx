import { useTexts } from '../shell/language.tsx';
import { problemWords } from './problem-words.ts';
import { words } from './words.ts';

export function Problem({ error }: { readonly error: unknown }) {
  const say = useTexts(words);
  if (error === undefined || error === null) return null;
  const { what, fix } = problemWords(error, say);
  return (
    <div role="alert" className="rounded border border-bad px-3 py-2 text-sm">
      <p className="text-bad">{what}</p>
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </div>
  );
}
