import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';

/** The questions that were answered on this page, by a card or in the plan editor, or of which the notice was put away. */
interface Handled {
  readonly known: ReadonlySet<string>;
  readonly know: (question: string, isKnown?: boolean) => void;
}

const HandledContext = createContext<Handled>({ known: new Set(), know: () => undefined });

export function HandledQuestions({ children }: { readonly children: ReactNode }) {
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set());
  const know = useCallback(
    (question: string, isKnown = true) =>
      setKnown(
        (before) => new Set([...[...before].filter((id) => id !== question), ...(isKnown ? [question] : [])]),
      ),
    [],
  );
  const value = useMemo(() => ({ known, know }), [known, know]);
  return <HandledContext value={value}>{children}</HandledContext>;
}

export const useHandled = (): Handled => use(HandledContext);
