import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { StatusMark } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { texts } from './texts.ts';
import type { RunSummary } from './use-runs.ts';

export function RunRow({ run }: { readonly run: RunSummary }) {
  const say = useTexts(texts).list;
  const { goal, status, startedAt, userId, conversation } = run;
  const notes = [
    ...(userId === undefined ? [] : [say.of(userId)]),
    ...(conversation === undefined ? [] : [say.inConversation]),
  ];
  return (
    <Link
      to={{ at: 'run', run: run.run, view: 'graph' }}
      className="grid grid-cols-[1fr_auto] items-center gap-x-4 px-4 py-2 hover:bg-sunken sm:grid-cols-[10rem_1fr_auto]"
    >
      <span className="order-2 sm:order-none">
        <StatusMark status={status} />
      </span>
      <span className="order-1 col-span-2 flex min-w-0 flex-col sm:order-none sm:col-span-1">
        <span className="line-clamp-2 break-words">{goal || run.run}</span>
        {notes.length > 0 && <span className="truncate text-faint text-xs">{notes.join(' · ')}</span>}
      </span>
      <Time at={startedAt} className="order-3 text-right text-faint text-sm sm:order-none" />
    </Link>
  );
}
