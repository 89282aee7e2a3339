import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { wholeDecision } from '#dandori/history/fork-point.ts';
import { type Json, parseJson } from '#dandori/model/json.ts';
import type { Question } from '#dandori/model/question.ts';
import { fold } from '#dandori/run/state/apply.ts';
import { openQuestions } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { goTo } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/past.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';
import type { ViewProps } from '../view.tsx';
import { laterEffects } from './landmarks.ts';

const SHOWN = 20;

/** Starts a new run from the event that is shown. */
export function Fork({ run, state, events, news, onClose }: ViewProps & { readonly onClose: () => void }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const client = useClient();
  // The run may continue while the dialog is open; the fork point stays.
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
          <p>{word.laterCalls}</p>
          <ul className="mt-1 font-mono text-xs">
            {later.slice(0, SHOWN).map(({ task, operation, effect }) => (
              <li key={task}>
                {task} {operation} ({word.effects[effect]})
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

interface Props {
  readonly question: Question;
  /** Undefined leaves it open. */
  readonly onAnswer: (answer: Json | undefined) => void;
}

/** An option, a text, or JSON for a form. */
function ForkAnswer({ question, onAnswer }: Props) {
  const say = useTexts(texts);
  const id = useId();
  const { text, options, form } = question;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="break-words text-sm">
        {text} {form !== undefined && <span className="text-faint">({say.asJson})</span>}
      </label>
      {options === undefined ? (
        <Written id={id} isJson={form !== undefined} onAnswer={onAnswer} />
      ) : (
        <select
          id={id}
          className="rounded border border-line bg-paper px-2 py-1.5"
          onChange={({ target }) => onAnswer(options[Number(target.value)]?.value)}
        >
          <option value="">{say.leaveOpen}</option>
          {options.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function Written({
  id,
  isJson,
  onAnswer,
}: Pick<Props, 'onAnswer'> & { readonly id: string; readonly isJson: boolean }) {
  const say = useTexts(texts);
  const [isBad, setIsBad] = useState(false);
  const take = (text: string) => {
    const read = text.trim() === '' ? { value: undefined } : isJson ? parsed(text) : { value: text };
    setIsBad(read === undefined);
    onAnswer(read?.value);
  };
  return (
    <>
      <input
        id={id}
        aria-invalid={isBad}
        className="rounded border border-line bg-paper px-2 py-1.5"
        onChange={({ target }) => take(target.value)}
      />
      {isBad && <p className="text-bad text-xs">{say.badJson}</p>}
    </>
  );
}

function parsed(text: string): { readonly value: Json } | undefined {
  try {
    return { value: parseJson(text) as Json };
  } catch {
    return undefined;
  }
}
