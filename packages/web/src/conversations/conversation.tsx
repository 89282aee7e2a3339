import { useMutation } from '@tanstack/react-query';
import { Fragment, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { useConversation } from '../live/conversation-feed.ts';
import type { ShownConversation } from '../live/conversation-state.ts';
import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { useTitle } from '../shell/title.ts';
import { texts } from '../texts/conversations.ts';
import { Button } from '../ui/button.tsx';
import { Waiting } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { MessageView, Writing } from './message.tsx';
import { MessageForm } from './message-form.tsx';
import { RunStrip } from './run-strip.tsx';

const NONE: ReadonlySet<string> = new Set();

export default function Conversation({ conversation }: { readonly conversation: string }) {
  const say = useTexts(texts);
  const { shown, error, earlier } = useConversation(conversation);
  useTitle(shown?.title ?? say.title);
  useAcknowledge(conversation, shown?.undelivered ?? NONE);
  useStick(shown);
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col px-4">
      <div className="flex flex-col gap-1 py-4">
        <Link to={{ at: 'conversations' }} className="w-fit rounded text-faint text-sm hover:text-ink">
          ← {say.back}
        </Link>
        <h1 className="line-clamp-2 break-words font-semibold text-xl">{shown?.title ?? say.title}</h1>
      </div>
      <Problem error={error} />
      {shown === undefined && error === undefined && <Waiting />}
      {shown !== undefined && (
        <>
          <Plans conversation={conversation} plans={shown.plans} />
          <Messages conversation={conversation} shown={shown} onEarlier={earlier} />
          <MessageForm conversation={conversation} lastShown={shown.messages.at(-1)?.id ?? ''} />
        </>
      )}
    </div>
  );
}

interface PlansProps {
  readonly conversation: string;
  readonly plans: ShownConversation['plans'];
}

/** The plans by name. A click makes one the active plan. */
function Plans({ conversation, plans }: PlansProps) {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const activate = useMutation({
    mutationFn: (run: string) => conversations.activatePlan(conversation, run),
  });
  if (plans.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 pb-4 text-sm">
      <span className="text-faint">{say.plans}</span>
      {plans.map(({ run, name, isActive }) => (
        <Button
          key={run}
          aria-pressed={isActive}
          disabled={activate.isPending}
          onClick={() => activate.mutate(run)}
        >
          {isActive ? `● ${name}` : name}
        </Button>
      ))}
      <Problem error={activate.error} />
    </div>
  );
}

interface Props {
  readonly conversation: string;
  readonly shown: ShownConversation;
  readonly onEarlier: () => Promise<void>;
}

/** The messages, each with the run that it started. */
function Messages({ conversation, shown, onEarlier }: Props) {
  const say = useTexts(texts);
  const { messages, runs, writing, doing, missed } = shown;
  const begunBy = Map.groupBy(runs.values(), ({ message }) => message);
  return (
    <div className="flex flex-1 flex-col gap-4 pb-6">
      {shown.earlier !== undefined && (
        <Button className="self-center" onClick={() => void onEarlier()}>
          {say.earlier}
        </Button>
      )}
      <div role="log" aria-label={say.log} className="flex flex-col gap-4">
        {messages.map((message, index) => (
          <Fragment key={message.id}>
            <MessageView
              conversation={conversation}
              message={message}
              isMissed={missed.has(message.id)}
              isApart={message.run !== messages[index - 1]?.run}
              run={message.run === undefined ? undefined : runs.get(message.run)}
            />
            {begunBy.get(message.id)?.map((run) => (
              <RunStrip key={run.run} conversation={conversation} run={run} doing={doing.get(run.run)} />
            ))}
          </Fragment>
        ))}
      </div>
      {[...writing].map(([run, text]) => (
        <Writing
          key={run}
          text={text}
          goal={run === messages.at(-1)?.run ? undefined : runs.get(run)?.goal}
        />
      ))}
    </div>
  );
}

/** Acknowledges the messages on the page as soon as the page is visible. */
function useAcknowledge(conversation: string, messages: ReadonlySet<string>): void {
  const client = useClient();
  const isSeen = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isSeen || messages.size === 0) return;
    // A viewer may not acknowledge, and a lost request is made up for by the next one.
    client.conversations.acknowledge(conversation, [...messages]).catch(() => {});
  }, [client, conversation, messages, isSeen]);
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

/** Pixels from the bottom within which the reader counts as being there. */
const NEAR = 120;

/** Keeps the bottom in view while more is written, unless the reader has scrolled up. */
function useStick(content: unknown): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const look = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = window.scrollY + window.innerHeight > scrollHeight - NEAR;
    };
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  useLayoutEffect(() => {
    if (isAtEnd.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [content]);
}
