import type { ReactNode } from 'react';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';

/** A label before a text, with the colon of the language. */
export function Label({ children }: { readonly children: ReactNode }) {
  const { colon } = useTexts(words);
  return (
    <>
      {children}
      {colon}
    </>
  );
}
