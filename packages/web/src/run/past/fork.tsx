import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { wholeDecision } from '#dandori/history/fork-point.ts';
import type { Json } from '#dandori/model/json.ts';
import { fold } from '#dandori/run/state/apply.ts';
import { openQuestions } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { goTo } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';
import type { ViewProps } from '../view.ts';
import { ForkAnswer } from './fork-answer.tsx';
import { laterEffects } from './later-effects.ts';
import { texts } from './texts.ts';

const SHOWN = 20;

/** A new run from the moment that is shown. */
export function Fork({ run, state, events, news, onClose }: ViewProps & { readonly onClose: () => void }) {
  const say = useTexts(texts);
  const client = useClient();
  // The run goes on behind the dialog; what was asked for stays.
  const [seq] = useState(() => wholeDecision(news.events, events.length));
  const [asked] = useState(() => {
    const then = seq === events.length ? state : fold(news.events.slice(0, seq));
    return then === undefined ? [] : openQuestions(then);
  });
  const [answers, setAnswers] = useState<Readonly<Record<string, Json | undefined>>>({});
  const given = Object.fromEntries(
    Object.entries(answers).flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer] as const])),
  );
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.fork(run, { at: seq, ...(Object.keys(given).length > 0 && { answers: given }) }),
    onSuccess: (forked) => goTo({ at: 'run', run: forked.run, view: 'graph' }),
  });
  const later = news.state === undefined ? [] : laterEffects(news.events, seq, news.state);
  return (
    <Dialog title={say.forkTitle(seq)} onClose={onClose}>
      <p className="text-sm">{say.forkText}</p>
      {later.length > 0 && (
        <div className="rounded border border-warn px-3 py-2 text-sm">
          <p>{say.later}</p>
          <ul className="mt-1 font-mono text-xs">
            {later.slice(0, SHOWN).map(({ task, operation, effect }) => (
              <li key={task}>
                {task} {operation} ({effect})
              </li>
            ))}
            {later.length > SHOWN && <li>+{later.length - SHOWN}</li>}
          </ul>
        </div>
      )}
      {asked.length > 0 && <p className="text-faint text-sm">{say.answers}</p>}
      {asked.map((question) => (
        <ForkAnswer
          key={question.id}
          question={question}
          onAnswer={(answer) => setAnswers((before) => ({ ...before, [question.id]: answer }))}
        />
      ))}
      <Problem error={error} />
      <Button look="main" className="self-end" disabled={isPending} onClick={() => mutate()}>
        {say.doFork}
      </Button>
    </Dialog>
  );
}
