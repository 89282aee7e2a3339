import { useState } from 'react';
import { texts } from '../texts/shell.ts';
import { Choice } from '../ui/fields.tsx';
import { LANGUAGES, useLanguage, useTexts } from './language.tsx';
import { useSession } from './session.tsx';

export function Preferences() {
  const say = useTexts(texts);
  const { language, choose } = useLanguage();
  const [theme, setTheme] = useTheme();
  const { hasToken, setToken } = useSession();
  return (
    <div className="ml-auto flex items-center gap-2 text-sm">
      <Choice
        label={say.language}
        value={language}
        options={LANGUAGES}
        texts={say.languages}
        onChoose={choose}
        isBare
      />
      <Choice
        label={say.theme}
        value={theme}
        options={THEMES}
        texts={say.themes}
        onChoose={setTheme}
        isBare
      />
      {hasToken && (
        <button type="button" className="rounded underline" onClick={() => setToken(undefined)}>
          {say.signOut}
        </button>
      )}
    </div>
  );
}

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const KEY = 'dandori.theme';

/** The theme of the system, or the one chosen here. */
function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(keptTheme);
  return [
    theme,
    (chosen) => {
      localStorage.setItem(KEY, chosen);
      showTheme(chosen);
      setTheme(chosen);
    },
  ];
}

export function keptTheme(): Theme {
  const value = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === value) ?? 'system';
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
