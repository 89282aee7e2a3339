import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';

const FIELD = 'textarea, input, select';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

/** A native dialog: the browser traps the focus, closes it on Escape and restores the focus. */
export function Dialog({ title, onClose, children, isWide = false }: Props) {
  const word = useTexts(words);
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Otherwise the close button would have the focus.
    shown?.querySelector<HTMLElement>(FIELD)?.focus();
    // The browser restores the focus when the dialog is closed, but not when it is unmounted.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={name}
      onClose={onClose}
      className={`m-auto max-h-[85dvh] w-[calc(100vw-2rem)] ${isWide ? 'max-w-4xl' : 'max-w-lg'} rounded-lg border border-line bg-sheet p-0 text-ink shadow-xl backdrop:bg-black/40`}
    >
      <div className="flex items-center gap-3 border-line border-b px-4 py-2.5">
        <h2 id={name} className="min-w-0 flex-1 font-semibold">
          {title}
        </h2>
        <button
          type="button"
          aria-label={word.close}
          onClick={() => dialog.current?.close()}
          className="rounded px-2 text-faint hover:text-ink"
        >
          ✕
        </button>
      </div>
      <div className="flex flex-col gap-3 p-4">{children}</div>
    </dialog>
  );
}
