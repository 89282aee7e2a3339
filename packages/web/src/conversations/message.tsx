import type { TalkedRun } from 'dandori/client';
import type { Written } from '#dandori/conversation/state.ts';
import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { RichText } from '../ui/rich-text.tsx';
import { Time } from '../ui/time.tsx';
import { About } from './about.tsx';
import { AskedHere } from './asked-here.tsx';
import { Tally } from './tally.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly conversation: string;
  readonly message: Written;
  /** It came while nobody was here. */
  readonly isMissed: boolean;
  /** Something else was said in between. */
  readonly isApart: boolean;
  readonly run: TalkedRun | undefined;
}

export function MessageView({ conversation, message, isMissed, isApart, run }: Props) {
  const say = useTexts(texts);
  if (message.role === 'user')
    return (
      <div className="flex max-w-[85%] flex-col items-end gap-1 self-end">
        <Head name={say.you} at={message.at} />
        <p className="whitespace-pre-wrap break-words rounded-lg rounded-tr-sm border border-line bg-sheet px-4 py-2">
          {message.text}
        </p>
      </div>
    );
  const { kind, text, tally, question, outcome } = message;
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
        {kind === 'question' && question !== undefined && (
          <AskedHere conversation={conversation} run={run} question={question} />
        )}
        {kind !== 'question' && message.run !== undefined && (
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
