import { useState } from 'react';
import type { OpenQuestion } from '#dandori/run/state/state.ts';
import { openQuestions } from '#dandori/views/report.ts';
import { useQuestion, useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/questions.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import type { ViewProps } from '../view.tsx';
import { AnsweredList, answerText } from './answered-list.tsx';
import { useHandled, useKeptFocus } from './dismissed-questions.tsx';
import { QuestionCard } from './question-card.tsx';

/** The open questions, and the answered ones, collapsed. */
export function Questions({ run, state, news, isPast }: ViewProps) {
  const say = useTexts(texts);
  /** The questions that were open on this page. */
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const { known, know } = useHandled();
  const open = openQuestions(state);
  // The driving state arrives after all past events. Questions answered before that are not news.
  const isNow = !isPast && news.driving !== undefined;
  if (isNow && open.some(({ id }) => !seen.has(id))) setSeen(new Set([...seen, ...open.map(({ id }) => id)]));
  const answered = [...state.questions.values()].filter(({ answer }) => answer !== undefined);
  const gone = isPast ? [] : answered.filter(({ question: { id } }) => seen.has(id) && !known.has(id));
  const place = useKeptFocus(open, known);
  if (open.length === 0 && answered.length === 0) return null;
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label={open.length > 0 ? say.title(open.length) : say.answered(answered.length)}
      className="outline-none"
    >
      <div role="status" className="flex flex-col gap-2 empty:hidden">
        {gone.map((asked) => (
          <Gone key={asked.question.id} asked={asked} onDismiss={() => know(asked.question.id)} />
        ))}
      </div>
      {open.length > 0 && (
        <div className="my-2 flex flex-col gap-3">
          <h2 className="font-semibold text-warn">
            <span aria-hidden="true">? </span>
            {say.title(open.length)}
          </h2>
          {open.map((question) => (
            <QuestionCard
              key={question.id}
              run={run}
              question={question}
              isHeld={state.questions.get(question.id)?.isHeld === true}
              isPast={isPast}
              onSent={(isSent) => know(question.id, isSent)}
            />
          ))}
        </div>
      )}
      <AnsweredList questions={answered} />
    </section>
  );
}

/** Says that another user answered. */
function Gone({ asked, onDismiss }: { readonly asked: OpenQuestion; readonly onDismiss: () => void }) {
  const say = useTexts(texts);
  const { statuses } = useTexts(words);
  const { text } = useQuestion(asked.question);
  return (
    <div className="flex items-start justify-between gap-3 rounded border border-line bg-sheet px-3 py-2 text-sm">
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <span className="text-faint">{say.goneBy(asked.answer?.by ?? say.anotherUser)}: </span>
        {text} — <strong>{answerText(asked, { say, statuses })}</strong>
      </p>
      <Button look="bare" onClick={onDismiss}>
        {say.dismiss}
      </Button>
    </div>
  );
}
