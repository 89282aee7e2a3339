import type { ReactNode } from 'react';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';

interface Props {
  readonly title: string;
  /** Shown beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A view with a heading. */
export function Page({ title, actions, children }: Props) {
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-1 flex-col gap-6 px-4 py-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <h1 className="min-w-0 break-words font-semibold text-xl">{title}</h1>
        {actions}
      </div>
      {children}
    </div>
  );
}

interface ScrollerProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A scroll area that the keyboard can reach. */
export function Scroller({ label, className = '', children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section aria-label={label} tabIndex={0} className={`overflow-auto ${className}`}>
      {children}
    </section>
  );
}

export function Waiting() {
  const { loading } = useTexts(words);
  return (
    <p role="status" className="p-8 text-faint">
      {loading}
    </p>
  );
}
