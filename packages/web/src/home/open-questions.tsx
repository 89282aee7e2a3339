import { useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import { type OpenQuestion, useOpenQuestions } from '../shell/questions.ts';
import { Link } from '../shell/route.tsx';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { texts } from './texts.ts';

/** So many are shown before somebody wants them all. */
const SHOWN = 3;

/** What runs wait for, oldest first: who has waited longest is answered first. */
export function OpenQuestions() {
  const say = useTexts(texts).questions;
  const { data = [] } = useOpenQuestions();
  const [isWhole, setWhole] = useState(false);
  if (data.length === 0) return null;
  const sorted = data.toSorted((one, other) => one.askedAt - other.askedAt);
  return (
    <section aria-labelledby="open-questions" className="flex flex-col gap-2">
      <h2 id="open-questions" className="font-semibold text-warn">
        {say.title}
      </h2>
      <ul className="flex flex-col gap-2">
        {(isWhole ? sorted : sorted.slice(0, SHOWN)).map((question) => (
          <li key={`${question.run}/${question.id}`}>
            <QuestionLink question={question} />
          </li>
        ))}
      </ul>
      {sorted.length > SHOWN && (
        <Button look="bare" className="self-start" onClick={() => setWhole(!isWhole)}>
          {isWhole ? say.fewer : say.more(sorted.length - SHOWN)}
        </Button>
      )}
    </section>
  );
}

function QuestionLink({ question: { run, goal, kind, text, askedAt } }: { readonly question: OpenQuestion }) {
  const say = useTexts(texts).questions;
  return (
    <Link
      to={{ at: 'run', run, view: 'graph' }}
      className="flex items-center gap-4 rounded-lg border border-warn/50 bg-sheet px-4 py-3 hover:bg-sunken"
    >
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="line-clamp-2 break-words font-medium">{text}</span>
        <span className="truncate text-faint text-sm">
          {say.kinds[kind]} · {goal}
        </span>
      </span>
      <Time at={askedAt} className="hidden text-faint text-sm sm:inline" />
      <span className="text-accent text-sm">{say.answer} →</span>
    </Link>
  );
}
