import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { questionIn } from '#dandori/views/texts/question-text.ts';

export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The texts of one area in all languages. */
export type Texts<T> = Readonly<Record<Language, T>>;

interface Chosen {
  readonly language: Language;
  readonly choose: (language: Language) => void;
}

const LanguageContext = createContext<Chosen>({ language: 'en', choose: () => {} });
const KEY = 'dandori.language';

export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [language, choose] = useState<Language>(() => kept() ?? ofBrowser());
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = {
    language,
    choose(chosen: Language) {
      localStorage.setItem(KEY, chosen);
      choose(chosen);
    },
  };
  return <LanguageContext value={value}>{children}</LanguageContext>;
}

export function useLanguage(): Chosen {
  return use(LanguageContext);
}

/** `const say = useTexts(texts)`, then `say.title` or `say.runs(3)`. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[use(LanguageContext).language];
}

/** A question of Dandori in the language of the page. */
export function useQuestion<T extends Parameters<typeof questionIn>[0]>(question: T): T {
  return questionIn(question, use(LanguageContext).language);
}

function kept(): Language | undefined {
  const value = localStorage.getItem(KEY);
  return LANGUAGES.find((language) => language === value);
}

function ofBrowser(): Language {
  for (const wanted of navigator.languages) {
    const known = LANGUAGES.find((language) => wanted.toLowerCase().startsWith(language));
    if (known !== undefined) return known;
  }
  return 'en';
}
