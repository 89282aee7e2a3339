import { useTexts } from '../shell/language.tsx';
import { texts } from './texts.ts';

/** What a message speaks of, where another one stands between. */
export function About({ goal }: { readonly goal: string }) {
  const say = useTexts(texts);
  return <span className="min-w-0 truncate">{say.about(goal)}</span>;
}
