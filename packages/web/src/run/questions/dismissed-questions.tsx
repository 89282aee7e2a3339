import {
  createContext,
  type ReactNode,
  type RefObject,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

/** The questions that were answered on this page or whose notice was dismissed. */
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

/**
 * An answered card disappears together with its focused button. The section then takes the focus, so that users of
 * the keyboard or a screen reader continue there and not at the top of the page.
 */
export function useKeptFocus(
  open: readonly { readonly id: string }[],
  handled: ReadonlySet<string>,
): RefObject<HTMLElement | null> {
  const place = useRef<HTMLElement>(null);
  const gone = [...handled].filter((id) => open.every((question) => question.id !== id)).length;
  useEffect(() => {
    if (gone > 0 && isLost(document.activeElement)) place.current?.focus({ preventScroll: true });
  }, [gone]);
  return place;
}

/** The pressed button is disabled until it disappears. */
function isLost(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.matches(':disabled');
}
