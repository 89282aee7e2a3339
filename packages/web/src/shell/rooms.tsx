import { useTexts } from './language.tsx';
import { Link, type Route } from './route.tsx';
import { texts } from './texts.ts';

const ROOMS = ['home', 'conversations', 'dashboard', 'tools'] as const;
type Room = (typeof ROOMS)[number];

const LARGER: Partial<Record<Route['at'], Room>> = { run: 'home', conversation: 'conversations' };

export function roomOf({ at }: Route): Room | undefined {
  return LARGER[at] ?? ROOMS.find((room) => room === at);
}

interface Props {
  readonly here: Room | undefined;
  /** Open questions of all runs. */
  readonly waiting: number;
}

export function Rooms({ here, waiting }: Props) {
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
