import type { Effect } from '#domain/effect.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from './texts.ts';

/** Never by colour alone: each has a sign and a word. */
const LOOKS: Readonly<Record<Effect, readonly [sign: string, colour: string]>> = {
  read: ['○', 'text-faint'],
  idempotent: ['◐', 'text-busy'],
  write: ['●', 'text-warn'],
  destructive: ['▲', 'text-bad'],
};

/** What a call does to the world. */
export function EffectMark({ effect }: { readonly effect: Effect }) {
  const say = useTexts(texts);
  const [sign, colour] = LOOKS[effect];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap text-sm ${colour}`}>
      <span aria-hidden="true">{sign}</span>
      {say.effect[effect]}
    </span>
  );
}
