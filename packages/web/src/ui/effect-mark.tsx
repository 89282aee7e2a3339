import type { Effect } from '#dandori/model/tool.ts';
import { useTexts } from '../shell/language.tsx';
import { words } from './words.ts';

const LOOKS: Readonly<Record<Effect, readonly [sign: string, colour: string]>> = {
  read: ['◦', 'text-faint'],
  idempotent: ['✎', 'text-ink'],
  write: ['✎', 'text-warn'],
  destructive: ['⚠', 'text-bad'],
};

/** What a call does to the world: a sign and a word. */
export function EffectMark({ effect }: { readonly effect: Effect }) {
  const say = useTexts(words);
  const [sign, colour] = LOOKS[effect];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap text-sm ${colour}`}>
      <span aria-hidden="true">{sign}</span>
      {say.effects[effect]}
    </span>
  );
}
