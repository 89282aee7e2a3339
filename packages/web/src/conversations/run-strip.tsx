import type { ConversationRunStatus } from 'dandori/client';
import { useState } from 'react';
import { TextDialog } from '../run/head/dialogs.tsx';
import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/conversations.ts';
import { texts as runTexts } from '../texts/steering.ts';
import { words } from '../texts/words.ts';
import { StatusMark } from '../ui/marks.tsx';
import { Tally } from './message.tsx';

interface Props {
  readonly conversation: string;
  readonly run: ConversationRunStatus;
  /** The last progress message of one of its calls. */
  readonly doing: string | undefined;
}

/** The status of a run that a message started. A run that ended without steps shows only its reply. */
export function RunStrip({ conversation, run, doing }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const cancelling = useTexts(runTexts);
  const client = useClient();
  const [isCancelling, setCancelling] = useState(false);
  const cancel = async (reason: string) => {
    await client.conversations.cancel(conversation, { run: run.run, ...(reason !== '' && { reason }) });
  };
  const { outcome, standing, progress, driving, problem } = run;
  const isOver = standing === 'ended';
  if (isOver && progress?.steps === undefined) return null;
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-line bg-sheet px-4 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StatusMark status={outcome === 'open' && driving === 'queued' ? 'queued' : outcome} />
        {standing === 'background' && <span className="text-faint">{say.background}</span>}
        {progress !== undefined && <Tally tally={progress} />}
        <span className="ml-auto flex items-center gap-3">
          <Link
            to={{ at: 'run', run: run.run, view: 'graph' }}
            className="rounded text-accent hover:underline"
          >
            {say.toRun} →
          </Link>
          {!isOver && (
            <button
              type="button"
              className="rounded text-bad hover:underline"
              aria-label={say.cancelRun(run.goal)}
              onClick={() => setCancelling(true)}
            >
              {word.answers.cancelRun}
            </button>
          )}
        </span>
      </div>
      {doing !== undefined && !isOver && <p className="truncate text-faint">{doing}</p>}
      {problem !== undefined && <p className="break-words text-bad">{problem}</p>}
      {isCancelling && (
        <TextDialog
          title={say.cancelRun(run.goal)}
          label={word.reason}
          button={word.answers.cancelRun}
          leave={cancelling.keepRunning}
          look="danger"
          onSay={cancel}
          onClose={() => setCancelling(false)}
        />
      )}
    </div>
  );
}
