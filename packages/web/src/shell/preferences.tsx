import { Choice } from '../ui/choice.tsx';
import { LANGUAGES, useLanguage, useTexts } from './language.tsx';
import { useSession } from './session.tsx';
import { texts } from './texts.ts';
import { THEMES, useTheme } from './theme.ts';

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
