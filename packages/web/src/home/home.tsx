import { useRef, useState } from 'react';
import { useQuestion, useTexts } from '../shell/language.tsx';
import { type OpenQuestion, useOpenQuestions } from '../shell/queries.tsx';
import { Link, type Query } from '../shell/route.tsx';
import { texts } from '../texts/home.ts';
import { shownKind, words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { Time } from '../ui/time.tsx';
import { Composer } from './composer.tsx';
import { Runs } from './runs.tsx';

export default function Home({ query }: { readonly query: Query }) {
  const say = useTexts(texts);
  const [goal, setGoal] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const propose = (text: string) => {
    setGoal(text);
    field.current?.focus();
  };
  return (
    <div className="mx-auto flex w-full max-w-5xl flex-1 flex-col gap-8 px-4 py-6">
      <h1 className="sr-only">{say.list.title}</h1>
      <OpenQuestions />
      <Composer goal={goal} onGoal={setGoal} field={field} />
      <Runs query={query} onPropose={propose} />
    </div>
  );
}

/** Questions shown before the user asks for all. */
const SHOWN = 3;

/** The open questions of all runs, oldest first. */
function OpenQuestions() {
  const word = useTexts(words);
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
          {isWhole ? say.fewer : word.more(sorted.length - SHOWN)}
        </Button>
      )}
    </section>
  );
}

function QuestionLink({ question }: { readonly question: OpenQuestion }) {
  const word = useTexts(words);
  const asked = useQuestion(question);
  const { run, goal, text, askedAt } = asked;
  return (
    <Link
      to={{ at: 'run', run, view: 'graph' }}
      className="flex items-center gap-4 rounded-lg border border-warn/50 bg-sheet px-4 py-3 hover:bg-sunken"
    >
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="line-clamp-2 break-words font-medium">{text}</span>
        <span className="truncate text-faint text-sm">
          {word.questions[shownKind(asked)]} · {goal}
        </span>
      </span>
      <Time at={askedAt} className="hidden text-faint text-sm sm:inline" />
      <span className="text-accent text-sm">{word.answers.answer} →</span>
    </Link>
  );
}
