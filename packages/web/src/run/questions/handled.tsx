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

/**
 * A card that was answered goes, and the button that had the focus with it. Its place takes the focus then, so that
 * whoever works with the keyboard or listens goes on from there and not from the top of the page.
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

/** A button that was pressed is disabled until it goes. */
function isLost(focused: Element | null): boolean {
  return focused === null || focused === document.body || focused.matches(':disabled');
}
