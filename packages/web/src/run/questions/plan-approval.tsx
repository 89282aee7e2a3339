import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Json } from '#dandori/model/json.ts';
import { planAbout } from '#dandori/model/question.ts';
import type { AskedQuestion } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { EstimateView } from '../plan/estimate-view.tsx';
import { draftKey, useDraft } from '../plan/use-draft.ts';
import { ContextView, Row } from './context-view.tsx';
import { INPUT } from './field-input.tsx';
import { PlanTasks } from './plan-tasks.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly run: string;
  readonly question: AskedQuestion;
  readonly isPast: boolean;
  readonly onSent: (isSent: boolean) => void;
}

/** A plan before it is carried out: what it takes, what it does, what it changes. */
export function PlanApproval({ run, question, isPast, onSent }: Props) {
  const say = useTexts(texts);
  return (
    <>
      <PlanDetails context={question.context} />
      {isPast ? (
        <p className="text-faint text-sm">{say.past}</p>
      ) : (
        <Word run={run} question={question.id} onSent={onSent} />
      )}
    </>
  );
}

export function PlanDetails({ context }: { readonly context: Json | undefined }) {
  const read = planAbout.safeParse(context);
  return read.success ? <About about={read.data} /> : <ContextView context={context} />;
}

function About({ about }: { readonly about: ReturnType<typeof planAbout.parse> }) {
  const say = useTexts(texts).context;
  const { objective, reasoning, plan, tasks, changes, notes = [], problems = [] } = about;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {problems.length > 0 && (
        <div role="alert" className="border-bad border-l-2 pl-3 text-sm">
          <p className="text-bad">{say.problems}</p>
          <ul>
            {problems.map(({ task, message, hint }) => (
              <li key={`${task} ${message}`} className="[overflow-wrap:anywhere]">
                {task !== undefined && <code>{task}</code>} {message}
                {hint !== undefined && <span className="text-faint"> ({hint})</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      {(objective !== undefined || reasoning !== undefined) && (
        <dl className="flex flex-col gap-1 text-sm">
          {objective !== undefined && <Row name={say.objective}>{objective}</Row>}
          {reasoning !== undefined && <Row name={say.why}>{reasoning}</Row>}
        </dl>
      )}
      <EstimateView estimate={plan} />
      <PlanTasks tasks={tasks} changes={changes} />
      {notes.map((note) => (
        <p key={note} className="border-warn border-l-2 pl-3 text-sm [overflow-wrap:anywhere]">
          <span className="text-warn">{say.notes}: </span>
          {note}
        </p>
      ))}
    </div>
  );
}

function Word({
  run,
  question,
  onSent,
}: {
  run: string;
  question: string;
  onSent: (isSent: boolean) => void;
}) {
  const say = useTexts(texts);
  const client = useClient();
  const id = useId();
  const [reason, setReason] = useState<string>();
  const [draft] = useDraft(draftKey(run, question));
  const word = useMutation({
    mutationFn: (isYes: boolean) => {
      if (isYes) return client.approve(run, { question });
      const why = reason?.trim() ?? '';
      return client.reject(run, { question, ...(why !== '' && { reason: why }) });
    },
    onMutate: () => onSent(true),
    onError: () => onSent(false),
  });
  return (
    <div className="flex flex-col gap-2">
      {reason !== undefined && (
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-sm">
            {say.reason}
          </label>
          <textarea
            id={id}
            rows={2}
            // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
            autoFocus
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            className={INPUT}
          />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {reason === undefined ? (
          <>
            <Button
              look={draft === undefined ? 'main' : 'plain'}
              disabled={word.isPending}
              onClick={() => word.mutate(true)}
            >
              {draft === undefined ? say.approve : say.approveProposed}
            </Button>
            <Button look="danger" disabled={word.isPending} onClick={() => setReason('')}>
              {say.reject}
            </Button>
            <Link
              to={{ at: 'run', run, view: 'plan' }}
              className="rounded border border-line px-3 py-1.5 text-sm hover:bg-sunken"
            >
              {say.edit}
            </Link>
          </>
        ) : (
          <>
            <Button look="danger" disabled={word.isPending} onClick={() => word.mutate(false)}>
              {say.reject}
            </Button>
            <Button disabled={word.isPending} onClick={() => setReason(undefined)}>
              {say.back}
            </Button>
          </>
        )}
      </div>
      {draft !== undefined && <p className="text-sm text-warn">{say.hasDraft}</p>}
      <Problem error={word.error} />
    </div>
  );
}
