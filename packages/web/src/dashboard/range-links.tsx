import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { RANGES, type Range } from './range.ts';
import { texts } from './texts.ts';

export function RangeLinks({ chosen }: { readonly chosen: Range }) {
  const say = useTexts(texts);
  return (
    <nav aria-label={say.range}>
      <ul className="flex overflow-hidden rounded border border-line bg-sheet text-sm">
        {RANGES.map((range) => (
          <li key={range} className="border-line border-l first:border-l-0">
            <Link
              to={{ at: 'dashboard', query: { range } }}
              aria-current={range === chosen ? 'true' : undefined}
              className="block px-3 py-1.5 -outline-offset-2 hover:bg-sunken aria-[current]:bg-accent aria-[current]:text-on-accent"
            >
              {say.ranges[range]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
