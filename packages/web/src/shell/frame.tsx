import type { ReactNode } from 'react';
import { useArrival } from './arrival.ts';
import { useTexts } from './language.tsx';
import { Preferences } from './preferences.tsx';
import { useOpenQuestions } from './questions.ts';
import { Rooms, roomOf } from './rooms.tsx';
import { Link, useRoute } from './route.tsx';
import { texts } from './texts.ts';
import { useRoomTitle } from './title.ts';
import { ViewerNotice } from './viewer-notice.tsx';

/** What stands around every view. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const say = useTexts(texts);
  const route = useRoute();
  const waiting = useOpenQuestions().data?.length ?? 0;
  const content = useArrival(route);
  const room = roomOf(route);
  useRoomTitle(room === undefined ? say.nowhereTitle : say[room], waiting);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-sheet focus:p-2"
      >
        {say.skip}
      </a>
      <header className="flex flex-wrap items-center gap-x-6 gap-y-1 border-line border-b bg-sheet px-4 pt-2 sm:py-2">
        <Link to={{ at: 'home' }} className="flex items-center gap-2 rounded font-semibold text-accent">
          <img src="/icon.svg" alt="" className="size-6" />
          Dandori
        </Link>
        <Rooms here={room} waiting={waiting} />
        <Preferences />
      </header>
      <ViewerNotice />
      <main id="content" ref={content} tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        {children}
      </main>
    </div>
  );
}
