import type { ConversationPage } from 'dandori/client';
import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { Time } from '../ui/time.tsx';
import { texts } from './texts.ts';

export function ConversationRow({
  summary,
}: {
  readonly summary: ConversationPage['conversations'][number];
}) {
  const say = useTexts(texts);
  const { conversation, title, lastAt, userId, isDamaged } = summary;
  return (
    <Link
      to={{ at: 'conversation', conversation }}
      className="flex items-baseline gap-4 px-4 py-3 hover:bg-sunken"
    >
      <span className="min-w-0 flex-1">
        <span className="line-clamp-2 break-words">{title || conversation}</span>
        {userId !== undefined && <span className="block text-faint text-xs">{say.of(userId)}</span>}
      </span>
      {isDamaged && <span className="text-bad text-sm">✕ {say.damaged}</span>}
      <Time at={lastAt} className="text-faint text-sm" />
    </Link>
  );
}
