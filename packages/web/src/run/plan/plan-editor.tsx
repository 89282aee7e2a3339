import { useMemo, useRef } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import type { ViewProps } from '../view.ts';
import { ApproveEdited } from './approve-edited.tsx';
import { ForkEdited } from './fork-edited.tsx';
import { PlanEditing } from './plan-editing.tsx';
import { lastForkable, planQuestionOf, planSource } from './plan-source.ts';
import { SourceEditor } from './source-editor.tsx';
import { texts } from './texts.ts';
import { draftKey, useDraft } from './use-draft.ts';

/** The plan as a file: to be read, to be approved with changes, or to be run otherwise in a fork. */
export function PlanEditor({ run, state, events, isPast }: ViewProps) {
  const say = useTexts(texts);
  const field = useRef<HTMLTextAreaElement>(null);
  const question = isPast ? undefined : planQuestionOf(state);
  const at = isPast ? state.seq : lastForkable(events);
  const [draft, setDraft] = useDraft(draftKey(run, question ?? `fork.${isPast ? at : 'now'}`));
  const { planVersion, draft: proposed, tasks } = state;
  // The state is changed in place; these tell when the plan is.
  const source = useMemo(() => planSource(state), [state, planVersion, proposed, tasks.size, question]);
  if (source === undefined) return <p className="p-4 text-faint">{say.none}</p>;
  const text = draft ?? source;
  const isEditing = question !== undefined || draft !== undefined;
  return (
    <section aria-label={say.title} className="flex flex-col gap-3">
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
