import { useRef, useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import type { Query } from '../shell/route.tsx';
import { Composer } from './composer.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { Runs } from './runs.tsx';
import { texts } from './texts.ts';

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
      <h1 className="sr-only">{say.title}</h1>
      <OpenQuestions />
      <Composer goal={goal} onGoal={setGoal} field={field} />
      <Runs query={query} onPropose={propose} />
    </div>
  );
}
