import { useMutation } from '@tanstack/react-query';
import type { ConversationRunStatus } from 'dandori/client';
import { lazy, Suspense, useState } from 'react';
import type { Written } from '#dandori/conversation/state.ts';
import type { NextAction, Tally as TallyOfWork } from '#dandori/model/conversation.ts';
import { questionTextIn } from '#dandori/views/texts/question-text.ts';
import { createRequestKeys } from '../live/request-keys.ts';
import { useLanguage, useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/conversations.ts';
import { Button } from '../ui/button.tsx';
import { AttachedFiles } from '../ui/files.tsx';
import { Label } from '../ui/label.tsx';
import { Problem } from '../ui/problem.tsx';
import { RichText } from '../ui/rich-text.tsx';
import { Time } from '../ui/time.tsx';

/** Loaded on demand, together with forms and plan views: most messages ask nothing. */
const AskedHere = lazy(() => import('./question.tsx'));

interface Props {
  readonly conversation: string;
  readonly message: Written;
  /** It arrived while the page was closed. */
  readonly isMissed: boolean;
  /** The message before it belongs to another run. */
  readonly isApart: boolean;
  readonly run: ConversationRunStatus | undefined;
}

export function MessageView({ conversation, message, isMissed, isApart, run }: Props) {
  const say = useTexts(texts);
  const { language } = useLanguage();
  if (message.role === 'user')
    return (
      <div className="flex max-w-[85%] flex-col items-end gap-1 self-end">
        <Head name={say.you} at={message.at} />
        <p className="whitespace-pre-wrap break-words rounded-lg rounded-tr-sm border border-line bg-sheet px-4 py-2">
          {message.text}
        </p>
        <AttachedFiles files={message.attachments ?? []} />
      </div>
    );
  const { kind, tally, question, outcome } = message;
  const text = kind === 'question' ? questionTextIn(message.text, language) : message.text;
  const causes = message.causes?.filter((cause) => cause !== text) ?? [];
  const isBad = outcome !== undefined && outcome !== 'answered' && outcome !== 'completed';
  return (
    <div className="flex flex-col gap-1">
      <Head
        name={kind === 'report' ? `${say.agent} · ${say.report}` : say.agent}
        at={message.at}
        isMissed={isMissed}
        goal={isApart ? run?.goal : undefined}
      />
      <div
        className={`flex flex-col gap-2 ${kind === 'report' ? 'border-l-2 pl-3' : ''} ${isBad ? 'border-bad' : 'border-accent'}`}
      >
        <RichText text={text} />
        {kind === 'report' && tally !== undefined && <Tally tally={tally} />}
        {causes.length > 0 && (
          <ul aria-label={say.causes} className="list-disc pl-5 text-bad text-sm">
            {causes.map((cause) => (
              <li key={cause} className="break-words">
                {cause}
              </li>
            ))}
          </ul>
        )}
        {message.next !== undefined && kind === 'reply' && (
          <Next conversation={conversation} next={message.next} />
        )}
        {kind === 'question' && question !== undefined && (
          <Suspense>
            <AskedHere conversation={conversation} run={run} question={question} />
          </Suspense>
        )}
        {(kind === 'reply' || kind === 'report') && message.run !== undefined && (
          <Link
            to={{ at: 'run', run: message.run, view: 'graph' }}
            className="w-fit rounded text-accent text-sm hover:underline"
          >
            {say.toRun} →
          </Link>
        )}
      </div>
    </div>
  );
}

/**
 * The recommended next step. The button shows the goal that it starts, because the model wrote both texts and they
 * may differ.
 */
function Next({ conversation, next: { text, goal = text } }: NextProps) {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const [keys] = useState(createRequestKeys);
  // Nothing was seen, so the words answer no question.
  const begin = useMutation({
    mutationFn: () => conversations.say(conversation, goal, { key: keys.keyFor(goal), seen: '' }),
    onSuccess: () => keys.done(),
  });
  return (
    <div className="flex flex-col items-start gap-1 text-sm">
      {goal !== text && (
        <p className="text-faint">
          <Label>{say.next}</Label>
          {text}
        </p>
      )}
      <Button disabled={begin.isPending} onClick={() => begin.mutate()} className="text-left">
        {say.doNext(goal)}
      </Button>
      <Problem error={begin.error} />
    </div>
  );
}

interface NextProps {
  readonly conversation: string;
  readonly next: NextAction;
}

interface HeadProps {
  readonly name: string;
  readonly at: number;
  readonly isMissed?: boolean;
  readonly goal?: string | undefined;
}

function Head({ name, at, isMissed = false, goal }: HeadProps) {
  const say = useTexts(texts);
  return (
    <p className="flex min-w-0 items-center gap-2 text-faint text-xs">
      <span className="shrink-0">{name}</span>
      {goal !== undefined && <About goal={goal} />}
      <Time at={at} />
      {isMissed && <span className="rounded bg-accent px-1.5 text-on-accent">{say.isNew}</span>}
    </p>
  );
}

interface WritingProps {
  readonly text: string;
  /** The goal of its run, if the last message belongs to another run. */
  readonly goal: string | undefined;
}

/**
 * A final answer while it is written. It is outside of the log, so screen readers announce it only when it is
 * complete.
 */
export function Writing({ text, goal }: WritingProps) {
  const say = useTexts(texts);
  return (
    <div className="flex flex-col gap-1">
      <p className="flex min-w-0 items-center gap-2 text-faint text-xs">
        {say.agent} · {say.writing}
        {goal !== undefined && <About goal={goal} />}
      </p>
      <RichText text={text} />
      <span aria-hidden="true" className="h-4 w-1.5 animate-pulse bg-accent" />
    </div>
  );
}

function About({ goal }: { readonly goal: string }) {
  const say = useTexts(texts);
  return <span className="min-w-0 truncate">{say.about(goal)}</span>;
}

/** The progress of a run, by steps if its plan has some. */
export function Tally({ tally: { done, failed, total, steps } }: { readonly tally: TallyOfWork }) {
  const say = useTexts(texts);
  const shown = steps ?? { done, total };
  if (shown.total === 0) return null;
  return (
    <div className="flex items-center gap-3 text-faint text-xs">
      <progress
        aria-label={say.progress}
        value={shown.done}
        max={shown.total}
        className="h-1.5 w-24 appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <span>{(steps === undefined ? say.tasks : say.steps)(shown.done, shown.total)}</span>
      {failed > 0 && <span className="text-bad">✕ {say.failed(failed)}</span>}
    </div>
  );
}
