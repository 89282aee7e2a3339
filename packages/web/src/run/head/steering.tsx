import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/steering.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { ViewProps } from '../view.tsx';
import { Budget, Rating, Word } from './dialogs.tsx';
import { LiftedPlan, saveFile } from './save-plan.tsx';

type Asking = 'tell' | 'cancel' | 'budget' | 'rate' | 'lift';

/** What can be done with a run as it is now. */
export function Steering({ run, state, news }: ViewProps) {
  const say = useTexts(texts);
  const client = useClient();
  const [asking, setAsking] = useState<Asking>();
  const { mutate, isPending, error } = useMutation({ mutationFn: (act: () => Promise<void>) => act() });
  const { end, paused, cancel } = state;
  const isOpen = end === undefined && cancel === undefined;
  const isStill = isOpen && (paused !== undefined || (news.driving === 'idle' && state.openQuestions === 0));
  const close = () => setAsking(undefined);
  const buttons: readonly (readonly [isShown: boolean, name: string, act: () => void])[] = [
    [isOpen && paused === undefined && !isStill, say.pause, () => mutate(() => client.pause(run))],
    [isStill, say.resume, () => mutate(() => client.resume(run))],
    [isOpen, say.tell, () => setAsking('tell')],
    [isOpen, say.cancelShort, () => setAsking('cancel')],
    [end?.outcome === 'exhausted', say.budget, () => setAsking('budget')],
    [end !== undefined, state.rating ? say.rated(state.rating.rating) : say.rate, () => setAsking('rate')],
    [state.ends.length > 0, say.lift, () => setAsking('lift')],
    [
      true,
      say.exportJournal,
      () => mutate(async () => saveFile(`${run}.jsonl`, await client.journal(run), 'application/jsonl')),
    ],
  ];
  return (
    <div className="flex flex-col items-end gap-2">
      <ul aria-label={say.steering} className="flex flex-wrap gap-1.5">
        {/* By its place: the focus stays on one that gets another name. */}
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
      {asking === 'tell' && (
        <Word
          title={say.tell}
          label={say.tellLabel}
          button={say.send}
          isNeeded
          onSay={(text) => client.tell(run, text)}
          onClose={close}
        />
      )}
      {asking === 'cancel' && (
        <Word
          title={say.cancel}
          label={say.reason}
          button={say.doCancel}
          look="danger"
          onSay={(reason) => client.cancel(run, reason === '' ? undefined : reason)}
          onClose={close}
        />
      )}
      {asking === 'budget' && <Budget run={run} state={state} onClose={close} />}
      {asking === 'rate' && <Rating run={run} state={state} onClose={close} />}
      {asking === 'lift' && <LiftedPlan run={run} onClose={close} />}
    </div>
  );
}
