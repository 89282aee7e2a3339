import { lazy, Suspense } from 'react';
import { useLanguage } from '../shell/language.tsx';

/** Loaded with the first message: the catalogue is large, and most runs have no failure. */
const Japanese = lazy(async () => {
  const [{ createTranslate }, { messages }] = await Promise.all([
    import('#dandori/views/texts/translate.ts'),
    import('#dandori/views/texts/ja/messages/index.ts'),
  ]);
  const translate = createTranslate(messages);
  return { default: ({ text }: { readonly text: string }) => translate(text) };
});

/** A message from the journal, where Dandori writes English, in the language of the page. */
export function Message({ text }: { readonly text: string | undefined }) {
  const { language } = useLanguage();
  if (text === undefined || language === 'en') return text;
  return (
    <Suspense fallback={text}>
      <Japanese text={text} />
    </Suspense>
  );
}
