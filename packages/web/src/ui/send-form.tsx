import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { dropOf } from './files.tsx';
import { Problem } from './problem.tsx';

interface Props {
  /** The field and what is below it. */
  readonly children: ReactNode;
  /** Beside the button. */
  readonly choices: ReactNode;
  /** Below the button. */
  readonly hint?: string;
  /** Takes files that are dropped onto the form. */
  readonly onDrop: (files: Iterable<File>) => void;
  readonly onSend: () => void;
  readonly canSend: boolean;
  readonly texts: { readonly send: string; readonly keys: string };
  readonly error: unknown;
}

/** The form that starts a run or a conversation. */
export function SendForm({ children, choices, hint = '', onDrop, onSend, canSend, texts, error }: Props) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSend();
  };
  return (
    <form
      onSubmit={submit}
      {...dropOf(onDrop)}
      className="flex flex-col gap-3 rounded-lg border border-line bg-sheet p-4 shadow-sm"
    >
      {children}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
        {choices}
        <span className="ml-auto flex items-center gap-3">
          <span className="hidden text-faint text-xs sm:inline">{texts.keys}</span>
          <Button type="submit" look="main" disabled={!canSend}>
            {texts.send}
          </Button>
        </span>
      </div>
      <p className="text-faint text-sm empty:hidden">{hint}</p>
      <Problem error={error} />
    </form>
  );
}
