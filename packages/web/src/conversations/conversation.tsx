import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useTitle } from '../shell/title.ts';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { Messages } from './messages.tsx';
import { Speaker } from './speaker.tsx';
import { texts } from './texts.ts';
import { useAcknowledge } from './use-acknowledge.ts';
import { useConversation } from './use-conversation.ts';
import { useStick } from './use-stick.ts';

const NOBODY: ReadonlySet<string> = new Set();

export default function Conversation({ conversation }: { readonly conversation: string }) {
  const say = useTexts(texts);
  const { talk, error, earlier } = useConversation(conversation);
  useTitle(talk?.title ?? say.title);
  useAcknowledge(conversation, talk?.undelivered ?? NOBODY);
  useStick(talk);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col px-4">
      <div className="flex flex-col gap-1 py-4">
        <Link to={{ at: 'conversations' }} className="w-fit rounded text-faint text-sm hover:text-ink">
          ← {say.back}
        </Link>
        <h1 className="line-clamp-2 break-words font-semibold text-xl">{talk?.title ?? say.title}</h1>
      </div>
      <Problem error={error} />
      {talk === undefined && error === undefined && <Waiting />}
      {talk !== undefined && (
        <>
          <Messages conversation={conversation} talk={talk} onEarlier={earlier} />
          <Speaker conversation={conversation} lastShown={talk.messages.at(-1)?.id ?? ''} />
        </>
      )}
    </div>
  );
}
