import { useTexts } from '../shell/language.tsx';
import { type Status, texts } from './texts.ts';

/** Never by colour alone: each has a sign and a word. */
export const LOOKS: Readonly<Record<Status, readonly [sign: string, colour: string]>> = {
  pending: ['○', 'text-faint'],
  ready: ['◌', 'text-faint'],
  running: ['▶', 'text-busy'],
  retrying: ['↻', 'text-warn'],
  waiting: ['?', 'text-warn'],
  in_doubt: ['⁇', 'text-warn'],
  expanding: ['▷', 'text-busy'],
  succeeded: ['✓', 'text-good'],
  failed: ['✕', 'text-bad'],
  blocked: ['⊘', 'text-bad'],
  skipped: ['–', 'text-faint'],
  open: ['▶', 'text-busy'],
  paused: ['‖', 'text-warn'],
  answered: ['✓', 'text-good'],
  cancelled: ['–', 'text-faint'],
  exhausted: ['◔', 'text-warn'],
  damaged: ['✕', 'text-bad'],
};

export function StatusMark({ status }: { readonly status: Status }) {
  const say = useTexts(texts);
  const [sign, colour] = LOOKS[status];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap text-sm ${colour}`}>
      <span aria-hidden="true">{sign}</span>
      {say.status[status]}
    </span>
  );
}
