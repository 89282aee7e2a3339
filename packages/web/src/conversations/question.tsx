import { useMutation } from '@tanstack/react-query';
import type { ConversationRunStatus } from 'dandori/client';
import { useState } from 'react';
import { type Json, stringifyJson } from '#dandori/model/json.ts';
import { ContextView } from '../run/questions/context-view.tsx';
import { useKeptFocus } from '../run/questions/dismissed-questions.tsx';
import { PlanDetails } from '../run/questions/plan-approval.tsx';
import { QuestionCard } from '../run/questions/question-card.tsx';
import { useQuestion, useTexts } from '../shell/language.tsx';
import { Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/conversations.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  readonly conversation: string;
  readonly run: ConversationRunStatus | undefined;
  /** The id of the question. */
  readonly question: string;
}

/** A question of a run inside the conversation. Options and forms are answered here, free text in the message field. */
export default function ConversationQuestion({ conversation, run, question: id }: Props) {
  const say = useTexts(texts);
  const [isSent, setSent] = useState(false);
  const place = useKeptFocus(run?.questions ?? [], isSent ? new Set([id]) : NONE);
  const question = run?.questions.find((open) => open.id === id);
  return (
    <section ref={place} tabIndex={-1} className="outline-none">
      {run === undefined || question === undefined ? (
        <p className="text-faint text-sm">✓ {say.answered}</p>
      ) : question.form !== undefined || question.url !== undefined ? (
        <QuestionCard run={run.run} question={question} isHeld={false} isPast={false} onSent={setSent} />
      ) : (
        <Choice conversation={conversation} run={run.run} question={question} onSent={setSent} />
      )}
    </section>
  );
}

const NONE: ReadonlySet<string> = new Set();

interface ChoiceProps {
  readonly conversation: string;
  readonly run: string;
  readonly question: ConversationRunStatus['questions'][number];
  readonly onSent: (isSent: boolean) => void;
}

function Choice({ conversation, run, question, onSent }: ChoiceProps) {
  const { id, kind, options = [], context } = useQuestion(question);
  const say = useTexts(texts);
  const client = useClient();
  const answer = useMutation({
    mutationFn: (value: Json) =>
      client.conversations.answer(conversation, { run, question: id, answer: value }),
    onMutate: () => onSent(true),
    onError: () => onSent(false),
  });
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-warn/50 bg-sheet p-3">
      {kind === 'plan_approval' ? (
        <details className="text-sm">
          <summary className="cursor-pointer text-faint">{say.wholePlan}</summary>
          <PlanDetails context={context} />
        </details>
      ) : (
        <ContextView context={context} />
      )}
      {options.length > 0 && (
        <ul className="flex flex-wrap gap-2">
          {options.map(({ label, value }) => (
            <li key={stringifyJson(value)}>
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
        <Link to={{ at: 'run', run, view: 'graph' }} className="rounded text-accent hover:underline">
          {say.inRun} →
        </Link>
      </p>
      <Problem error={answer.error} />
    </div>
  );
}
