import type { Event } from '#dandori/model/event.ts';
import type { Json } from '#dandori/model/json.ts';
import { describeEvent } from '#dandori/views/event-line.ts';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ClockTime } from '../../ui/clock-time.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly event: Event;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  /** Against the moment that is shown. */
  readonly place: 'past' | 'here' | 'future';
}

/** Nobody reads more in a line. */
const LONGEST = 300;

/** A fact in a line, and all of it where it is opened. Its number leads to the moment. */
export function EventRow({ run, event, isOpen, onToggle, place }: Props) {
  const say = useTexts(texts);
  const { seq, type, at } = event;
  return (
    <div className={place === 'here' ? 'bg-sunken' : ''}>
      <div className="flex items-center gap-2 px-2 py-1 text-sm">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={say.expand(seq, type)}
          onClick={onToggle}
          className="w-5 shrink-0 text-faint"
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <Link
          to={{ at: 'run', run, view: 'events', seq }}
          aria-label={say.moment(seq)}
          aria-current={place === 'here' ? 'location' : undefined}
          className="w-10 shrink-0 text-right text-accent tabular-nums hover:underline"
        >
          {seq}
        </Link>
        <span className="hidden shrink-0 text-faint text-xs sm:inline">
          <ClockTime at={at} />
        </span>
        <span className={`shrink-0 font-medium ${place === 'future' ? 'text-faint' : ''}`}>{type}</span>
        {place === 'here' && <Badge look="warn">{say.here}</Badge>}
        <span className="min-w-0 truncate text-faint">{describeEvent(event).slice(0, LONGEST)}</span>
      </div>
      {isOpen && (
        <div className="px-3 pb-3">
          <JsonTree value={event.data as Json} label={say.data(seq)} />
        </div>
      )}
    </div>
  );
}
