import type { ReactNode } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { ClockTime } from '../../ui/clock-time.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly seq: number;
  readonly at: number;
  readonly title: ReactNode;
  /** What stands beside the title. */
  readonly marks?: ReactNode;
  readonly colour?: string;
  readonly children?: ReactNode;
}

/** One thing that was decided, on the line of time. */
export function EntryFrame({ run, seq, at, title, marks, colour = 'border-l-line', children }: Props) {
  const say = useTexts(texts);
  return (
    <li className={`flex flex-col gap-2 rounded border border-line border-l-4 bg-sheet px-4 py-3 ${colour}`}>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="font-medium">{title}</h3>
        {marks}
        <Link
          to={{ at: 'run', run, view: 'decisions', seq }}
          className="ml-auto text-faint text-xs hover:underline"
        >
          <ClockTime at={at} /> #{seq}
          <span className="sr-only"> {say.moment}</span>
        </Link>
      </div>
      {children}
    </li>
  );
}
