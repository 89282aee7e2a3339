import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { texts } from '../texts/shell.ts';
import { useTexts } from './language.tsx';
import { Preferences } from './preferences.tsx';
import { useOpenQuestions } from './queries.tsx';
import { addressOf, Link, type Route, useRoute } from './route.tsx';
import { useClient } from './session.tsx';
import { useRoomTitle } from './title.ts';

/** The frame around every view. */
export function Frame({ children }: { readonly children: ReactNode }) {
  const say = useTexts(texts);
  const route = useRoute();
  const waiting = useOpenQuestions().data?.length ?? 0;
  const content = useArrival(route);
  const room = roomOf(route);
  useRoomTitle(room === undefined ? say.notFound : say[room], waiting);
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

const ROOMS = ['home', 'conversations', 'dashboard', 'tools'] as const;
type Room = (typeof ROOMS)[number];

const LARGER: Partial<Record<Route['at'], Room>> = { run: 'home', conversation: 'conversations' };

function roomOf({ at }: Route): Room | undefined {
  return LARGER[at] ?? ROOMS.find((room) => room === at);
}

interface Props {
  readonly here: Room | undefined;
  /** Open questions of all runs. */
  readonly waiting: number;
}

function Rooms({ here, waiting }: Props) {
  const say = useTexts(texts);
  return (
    <nav
      aria-label={say.navigation}
      className="order-last -mx-4 w-[calc(100%+2rem)] overflow-x-auto px-4 sm:order-none sm:mx-0 sm:w-auto sm:px-0"
    >
      <ul className="flex gap-5 whitespace-nowrap text-sm">
        {ROOMS.map((room) => (
          <li key={room}>
            <Link
              to={{ at: room }}
              aria-current={here === room ? 'page' : undefined}
              className="flex items-center gap-1.5 border-transparent border-b-2 py-1.5 text-faint hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
            >
              {say[room]}
              {room === 'home' && <WaitingCount count={waiting} />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function WaitingCount({ count }: { readonly count: number }) {
  const say = useTexts(texts);
  if (count === 0) return null;
  return (
    <span className="min-w-5 rounded-full bg-warn px-1.5 text-center font-medium text-paper text-xs leading-5">
      <span aria-hidden="true">{count}</span>
      <span className="sr-only">{say.waiting(count)}</span>
    </span>
  );
}

/** After navigation the focus and the scroll position are at the top of the content. */
function useArrival(route: Route): RefObject<HTMLElement | null> {
  const content = useRef<HTMLElement>(null);
  const place = placeOf(route);
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    content.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [place]);
  return content;
}

/** The views of a run are tabs of one place, so the focus stays on the tab. */
function placeOf(route: Route): string {
  if (route.at === 'run') return `/runs/${route.run}`;
  return addressOf(route).split('?')[0] ?? '/';
}

/** Tells a viewer that forms would be refused. */
function ViewerNotice() {
  const say = useTexts(texts);
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['user'],
    queryFn: () => client.user(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data?.role !== 'viewer') return null;
  return <p className="border-line border-b bg-sunken px-4 py-2 text-sm">{say.viewer}</p>;
}
