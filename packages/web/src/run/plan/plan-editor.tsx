import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef } from 'react';
import { draftKey, useDraft } from '../../live/drafts.ts';
import { useTexts } from '../../shell/language.tsx';
import { goTo, Link } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/plan.ts';
import { words } from '../../texts/words.ts';
import { Button, CopyButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useHandled } from '../questions/dismissed-questions.tsx';
import type { ViewProps } from '../view.tsx';
import { CheckedSource } from './checked-source.tsx';
import { lastForkable, planQuestionOf, planSource } from './plan-source.ts';
import { useShownEditor } from './show-editor.ts';
import { SourceEditor } from './source-editor.tsx';
import { useCheck } from './use-check.ts';

/** The plan as a file, to be read, approved with changes, or run in a fork. */
export default function PlanEditor({ run, state, events, isPast }: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const field = useRef<HTMLTextAreaElement>(null);
  const place = useRef<HTMLElement>(null);
  useShownEditor(place);
  const question = isPast ? undefined : planQuestionOf(state);
  const at = isPast ? state.seq : lastForkable(events);
  const [draft, setDraft] = useDraft(draftKey(run, question ?? `fork.${isPast ? at : 'now'}`));
  const { planVersion, draft: proposed, tasks } = state;
  // The state is changed in place; these say when the plan changed.
  const source = useMemo(() => planSource(state), [state, planVersion, proposed, tasks.size, question]);
  if (source === undefined) return <p className="p-4 text-faint">{word.noPlan}</p>;
  const text = draft ?? source;
  const isEditing = question !== undefined || draft !== undefined;
  return (
    <section ref={place} aria-label={say.title} className="flex scroll-mt-4 flex-col gap-3">
      {!isEditing && (
        <>
          <div className="flex flex-wrap items-center gap-3">
            <Button onClick={() => setDraft(source)}>{say.editAndFork}</Button>
            <CopyButton text={() => source} />
          </div>
          <SourceEditor text={source} marks={[]} field={field} />
        </>
      )}
      {isEditing && (
        <>
          <p className="text-sm">{question === undefined ? say.forking(at) : say.asked}</p>
          <PlanEditing
            text={text}
            onChange={setDraft}
            within={question === undefined ? { run, at } : { run }}
            isChanged={draft !== undefined && draft !== source}
            onDiscard={draft === undefined ? undefined : () => setDraft(undefined)}
            action={(mayGo) =>
              question === undefined ? (
                <ForkEdited run={run} at={at} plan={text} mayGo={mayGo} onDone={() => setDraft(undefined)} />
              ) : (
                <ApproveEdited
                  run={run}
                  question={question}
                  plan={text === source ? undefined : text}
                  mayGo={mayGo}
                  onDone={() => setDraft(undefined)}
                />
              )
            }
          />
        </>
      )}
    </section>
  );
}

interface EditingProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly within: { readonly run: string; readonly at?: number };
  readonly isChanged: boolean;
  /** Undefined if there are no changes. */
  readonly onDiscard: (() => void) | undefined;
  /** The main button. `mayGo` says whether the plan is valid. */
  readonly action: (mayGo: boolean) => ReactNode;
}

/** The editor of a plan. */
function PlanEditing({ text, onChange, within, isChanged, onDiscard, action }: EditingProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const checked = useCheck(text, within);
  const { result, isCurrent, error } = checked;
  const wrong = result?.diagnostics?.length ?? 0;
  return (
    <div className="flex flex-col gap-3">
      <CheckedSource text={text} onChange={onChange} checked={checked}>
        <p role="status" className="flex flex-wrap gap-x-3 text-faint text-sm">
          <span className={wrong > 0 ? 'text-bad' : ''}>
            {!isCurrent && error === null
              ? word.checking
              : wrong > 0
                ? word.problems(wrong)
                : error === null && word.valid}
          </span>
          {isChanged && <span>{say.kept}</span>}
        </p>
      </CheckedSource>
      <div className="flex flex-wrap gap-2">
        {action(isCurrent && result?.ok === true)}
        {onDiscard !== undefined && <Button onClick={onDiscard}>{say.discard}</Button>}
      </div>
    </div>
  );
}

interface ApproveProps {
  readonly run: string;
  readonly question: string;
  /** Undefined if the plan was not changed. */
  readonly plan: string | undefined;
  readonly mayGo: boolean;
  readonly onDone: () => void;
}

function ApproveEdited({ run, question, plan, mayGo, onDone }: ApproveProps) {
  const say = useTexts(texts);
  const client = useClient();
  const { know } = useHandled();
  const approving = useMutation({
    mutationFn: () => client.approve(run, { question, ...(plan !== undefined && { plan }) }),
    onMutate: () => know(question),
    onError: () => know(question, false),
    onSuccess: onDone,
  });
  return (
    <>
      <Button look="main" disabled={!mayGo || approving.isPending} onClick={() => approving.mutate()}>
        {plan === undefined ? say.approveAsIs : say.approveEdited}
      </Button>
      <Problem error={approving.error} />
    </>
  );
}

interface ForkProps {
  readonly run: string;
  readonly at: number;
  readonly plan: string;
  readonly mayGo: boolean;
  readonly onDone: () => void;
}

/** Forks the run. Calls that the fork may repeat are listed before the user goes there. */
function ForkEdited({ run, at, plan, mayGo, onDone }: ForkProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const client = useClient();
  const forking = useMutation({
    mutationFn: () => client.fork(run, { at, plan }),
    onSuccess(forked) {
      if (forked.later.length > 0) return;
      onDone();
      goTo({ at: 'run', run: forked.run, view: 'graph' });
    },
  });
  const { data: forked } = forking;
  if (forked !== undefined)
    return (
      <div role="status" className="w-full rounded border border-warn p-3 text-sm">
        <p>{say.forked(forked.run)}</p>
        {forked.later.length > 0 && (
          <>
            <p className="mt-2">{word.laterCalls}</p>
            <ul className="list-disc pl-6 font-mono text-xs">
              {forked.later.map(({ task, operation }) => (
                <li key={task}>
                  {task} {operation}
                </li>
              ))}
            </ul>
          </>
        )}
        <Link
          to={{ at: 'run', run: forked.run, view: 'graph' }}
          onClickCapture={onDone}
          className="mt-2 inline-block text-accent underline"
        >
          {say.toFork}
        </Link>
      </div>
    );
  return (
    <>
      <Button look="main" disabled={!mayGo || forking.isPending} onClick={() => forking.mutate()}>
        {say.fork}
      </Button>
      <Problem error={forking.error} />
    </>
  );
}
