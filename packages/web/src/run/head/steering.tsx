import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/steering.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { saveFile } from '../../ui/export-text.ts';
import { Problem } from '../../ui/problem.tsx';
import type { ViewProps } from '../view.tsx';
import { RaiseLimits, RateRun, TextDialog } from './dialogs.tsx';
import { SavePlan } from './save-plan.tsx';

type Asking = 'note' | 'cancel' | 'raise' | 'rate' | 'save';

/** The actions for a run in its current state. */
export function Steering({ run, state, news }: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const client = useClient();
  const [asking, setAsking] = useState<Asking>();
  const { mutate, isPending, error } = useMutation({ mutationFn: (act: () => Promise<void>) => act() });
  const { end, paused, cancel } = state;
  const isOpen = end === undefined && cancel === undefined;
  const isStill =
    isOpen && (paused !== undefined || (news.driving === 'idle' && state.indexes.openQuestions === 0));
  const close = () => setAsking(undefined);
  const buttons: readonly (readonly [isShown: boolean, name: string, act: () => void])[] = [
    [isOpen && paused === undefined && !isStill, say.pause, () => mutate(() => client.pause(run))],
    [isStill, say.resume, () => mutate(() => client.resume(run))],
    [isOpen, say.note, () => setAsking('note')],
    [isOpen, word.answers.cancelRun, () => setAsking('cancel')],
    [end?.outcome === 'exhausted', say.raise, () => setAsking('raise')],
    [end !== undefined, state.rating ? word.rated(state.rating.rating) : say.rate, () => setAsking('rate')],
    [state.ends.length > 0, say.savePlan, () => setAsking('save')],
    [
      true,
      say.journal,
      () => mutate(async () => saveFile(`${run}.jsonl`, await client.journal(run), 'application/jsonl')),
    ],
  ];
  return (
    <div className="flex flex-col items-end gap-2">
      <ul aria-label={say.steering} className="flex flex-wrap gap-1.5">
        {/* Keyed by position, so that a button keeps the focus when its name changes. */}
        {buttons.map(
          ([isShown, name, act], place) =>
            isShown && (
              <li key={place}>
                <Button onClick={act} disabled={isPending} className="px-2.5 py-1">
                  {name}
                </Button>
              </li>
            ),
        )}
      </ul>
      <Problem error={error} />
      {asking === 'note' && (
        <TextDialog
          title={say.note}
          label={say.noteLabel}
          button={word.send}
          isRequired
          onSay={(text) => client.tell(run, text)}
          onClose={close}
        />
      )}
      {asking === 'cancel' && (
        <TextDialog
          title={word.answers.cancelRun}
          label={word.reason}
          button={word.answers.cancelRun}
          leave={say.keepRunning}
          look="danger"
          onSay={(reason) => client.cancel(run, reason === '' ? undefined : reason)}
          onClose={close}
        />
      )}
      {asking === 'raise' && <RaiseLimits run={run} state={state} onClose={close} />}
      {asking === 'rate' && <RateRun run={run} state={state} onClose={close} />}
      {asking === 'save' && <SavePlan run={run} onClose={close} />}
    </div>
  );
}
