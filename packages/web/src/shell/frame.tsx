import type { ReactNode } from 'react';
import { Choice } from '../ui/choice.tsx';
import { LANGUAGES, useLanguage, useTexts } from './language.tsx';
import { Link, type Route, useRoute } from './route.tsx';
import { useSession } from './session.tsx';
import { texts } from './texts.ts';
import { THEMES, useTheme } from './theme.ts';

const ROOMS = ['home', 'conversations', 'dashboard', 'tools'] as const;
const ROOM_OF: Partial<Record<Route['at'], (typeof ROOMS)[number]>> = {
  run: 'home',
  conversation: 'conversations',
};

/** What stands around every view. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const say = useTexts(texts);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-sheet focus:p-2"
      >
        {say.skip}
      </a>
      <header className="flex flex-wrap items-center gap-x-6 gap-y-1 border-line border-b bg-sheet px-4 py-2">
        <Link to={{ at: 'home' }} className="flex items-center gap-2 font-semibold text-accent">
          <img src="/icon.svg" alt="" className="size-6" />
          Dandori
        </Link>
        <Rooms />
        <Preferences />
      </header>
      <main id="content" className="flex min-h-0 flex-1 flex-col">
        {children}
      </main>
    </div>
  );
}

function Rooms() {
  const say = useTexts(texts);
  const route = useRoute();
  const here = ROOM_OF[route.at] ?? route.at;
  return (
    <nav aria-label={say.navigation} className="order-last w-full sm:order-none sm:w-auto">
      <ul className="flex gap-4 text-sm">
        {ROOMS.map((room) => (
          <li key={room}>
            <Link
              to={{ at: room }}
              aria-current={here === room ? 'page' : undefined}
              className="block border-transparent border-b-2 py-1 text-faint hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
            >
              {say[room]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Preferences() {
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
        <button type="button" className="underline" onClick={() => setToken(undefined)}>
          {say.signOut}
        </button>
      )}
    </div>
  );
}
