import type { ReactNode } from 'react';

const LOOKS = {
  plain: 'border-line text-faint',
  good: 'border-good text-good',
  warn: 'border-warn text-warn',
  bad: 'border-bad text-bad',
} as const;

interface Props {
  readonly look?: keyof typeof LOOKS;
  readonly children: ReactNode;
}

/** A word or two about something. */
export function Badge({ look = 'plain', children }: Props) {
  return (
    <span className={`rounded border px-1.5 py-px text-xs whitespace-nowrap ${LOOKS[look]}`}>{children}</span>
  );
}
