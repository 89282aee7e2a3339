import { createContext, type ReactNode, use } from 'react';
import type { Effect } from '#dandori/model/tool.ts';
import { useTexts } from '../shell/language.tsx';
import { type Status, words } from '../texts/words.ts';

/** A status is never shown by colour alone: each has a sign and a word. */
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
  queued: ['◌', 'text-faint'],
  interrupted: ['‖', 'text-warn'],
  paused: ['‖', 'text-warn'],
  answered: ['✓', 'text-good'],
  cancelled: ['–', 'text-faint'],
  exhausted: ['◔', 'text-warn'],
  damaged: ['✕', 'text-bad'],
  draft: ['○', 'text-faint'],
  approved: ['✓', 'text-good'],
  rejected: ['✕', 'text-bad'],
  in_progress: ['▷', 'text-busy'],
  completed: ['✓', 'text-good'],
  replaced: ['–', 'text-faint'],
};

const InterruptedContext = createContext(false);
/** True if no process drives the run that is shown. Then none of its calls is running. */
export const Interrupted = InterruptedContext.Provider;

export function useIsInterrupted(): boolean {
  return use(InterruptedContext);
}

/** The status of a task of the run that is shown. */
export function useShownStatus(status: Status): Status {
  return useIsInterrupted() && status === 'running' ? 'interrupted' : status;
}

export function StatusMark(props: { readonly status: Status }) {
  const { statuses } = useTexts(words);
  const status = useShownStatus(props.status);
  const [sign, colour] = LOOKS[status];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap text-sm ${colour}`}>
      <span aria-hidden="true">{sign}</span>
      {statuses[status]}
    </span>
  );
}

const EFFECT_LOOKS: Readonly<Record<Effect, readonly [sign: string, colour: string]>> = {
  read: ['◦', 'text-faint'],
  idempotent: ['✎', 'text-ink'],
  write: ['✎', 'text-warn'],
  destructive: ['⚠', 'text-bad'],
};

/** The effect of a call. */
export function EffectMark({ effect }: { readonly effect: Effect }) {
  const say = useTexts(words);
  const [sign, colour] = EFFECT_LOOKS[effect];
  return (
    <span className={`inline-flex items-center gap-1 whitespace-nowrap text-sm ${colour}`}>
      <span aria-hidden="true">{sign}</span>
      {say.effects[effect]}
    </span>
  );
}

const BADGE_LOOKS = {
  plain: 'border-line text-faint',
  good: 'border-good text-good',
  warn: 'border-warn text-warn',
  bad: 'border-bad text-bad',
} as const;

interface BadgeProps {
  readonly look?: keyof typeof BADGE_LOOKS;
  readonly children: ReactNode;
}

/** A small label. */
export function Badge({ look = 'plain', children }: BadgeProps) {
  return (
    <span className={`rounded border px-1.5 py-px text-xs whitespace-nowrap ${BADGE_LOOKS[look]}`}>
      {children}
    </span>
  );
}
