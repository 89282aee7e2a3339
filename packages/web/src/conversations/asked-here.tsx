import { useMutation } from '@tanstack/react-query';
import type { TalkedRun } from 'dandori/client';
import type { Json } from '#domain/json.ts';
import { QuestionCard } from '../run/questions/question-card.tsx';
import { useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly conversation: string;
  readonly run: TalkedRun | undefined;
  /** Its id. */
  readonly question: string;
}

/** A question of a run, where it was asked: a choice or a form is answered at once, words are written below. */
export function AskedHere({ conversation, run, question: id }: Props) {
  const say = useTexts(texts);
  const client = useClient();
  const answer = useMutation({
    mutationFn: (value: Json) =>
      client.conversations.answer(conversation, { run: run?.run ?? '', question: id, answer: value }),
  });
  const question = run?.questions.find((open) => open.id === id);
  if (run === undefined || question === undefined)
    return <p className="text-faint text-sm">✓ {say.answered}</p>;
  const { options = [], form, url, kind } = question;
  if (form !== undefined || url !== undefined)
    return <QuestionCard run={run.run} question={question} isHeld={false} isPast={false} onSent={() => {}} />;
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-warn/50 bg-sheet p-3">
      {options.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {options.map(({ label, value }) => (
            <li key={JSON.stringify(value)}>
              <Button disabled={answer.isPending} onClick={() => answer.mutate(value)}>
                {label}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p className="flex flex-wrap gap-x-3 text-faint text-sm">
        {kind === 'plan_approval' && say.orChange}
        {options.length === 0 && say.orWrite}
        <Link to={{ at: 'run', run: run.run, view: 'graph' }} className="rounded text-accent hover:underline">
          {say.inRun} →
        </Link>
      </p>
      <Problem error={answer.error} />
    </div>
  );
}
