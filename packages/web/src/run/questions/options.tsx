import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { type Json, stringifyJson } from '#dandori/model/json.ts';
import type { Option, Question } from '#dandori/model/question.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/questions.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { INPUT } from './form.tsx';

interface Props {
  readonly kind: Question['kind'];
  readonly options: readonly Option[];
  readonly isBusy: boolean;
  readonly onAnswer: (answer: Json) => void;
}

const FEW = 4;

/** A few options are buttons, more are a list. Those of an approval are always the same buttons. */
export function Options({ kind, options, isBusy, onAnswer }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const name = useId();
  const [chosen, setChosen] = useState<number>();
  // Only an approval has an obvious option, unless a stranger may have ordered the call.
  const isObvious = kind === 'approval' && options.every(({ value }) => value !== 'stop');
  if (options.length <= FEW || kind === 'approval')
    return (
      <ul className="flex flex-wrap items-start gap-2">
        {options.map((option, index) => (
          <li key={stringifyJson(option.value)} className="flex max-w-full flex-col gap-0.5">
            <Button
              look={lookOf(option, isObvious && index === 0)}
              disabled={isBusy}
              onClick={() => onAnswer(option.value)}
              className="text-left [overflow-wrap:anywhere]"
            >
              {option.label}
            </Button>
            <Calls option={option} />
          </li>
        ))}
      </ul>
    );
  const send = (event: FormEvent) => {
    event.preventDefault();
    const option = chosen === undefined ? undefined : options[chosen];
    if (option !== undefined) onAnswer(option.value);
  };
  return (
    <form onSubmit={send} className="flex flex-col items-start gap-2">
      <div role="radiogroup" aria-label={say.yourAnswer} className="flex flex-col gap-1">
        {options.map((option, index) => (
          <label key={stringifyJson(option.value)} className="flex items-start gap-2 text-sm">
            <input
              type="radio"
              name={name}
              checked={chosen === index}
              onChange={() => setChosen(index)}
              className="mt-0.5 size-4 accent-(--accent)"
            />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {option.label} <Calls option={option} />
            </span>
          </label>
        ))}
      </div>
      <Button type="submit" look="main" disabled={isBusy || chosen === undefined}>
        {word.answers.answer}
      </Button>
    </form>
  );
}

/** The calls that an option leads to. */
function Calls({ option: { tasks = [] } }: { readonly option: Option }) {
  const say = useTexts(texts);
  if (tasks.length === 0) return null;
  const calls = tasks.map(({ operation, args }) => `${operation} ${stringifyJson(args)}`);
  return (
    <span className="font-mono text-faint text-xs [overflow-wrap:anywhere]">
      {say.does(calls.join(', '))}
    </span>
  );
}

function lookOf({ value }: Option, isMain: boolean): 'main' | 'danger' | 'plain' {
  if (['reject', 'reject_similar', 'stop', 'give_up'].includes(String(value))) return 'danger';
  return isMain ? 'main' : 'plain';
}

interface FreeTextProps {
  readonly isBusy: boolean;
  readonly onAnswer: (answer: string) => void;
}

export function FreeText({ isBusy, onAnswer }: FreeTextProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const id = useId();
  const [typed, setTyped] = useState('');
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (typed.trim() !== '' && !isBusy) onAnswer(typed.trim());
  };
  return (
    <form onSubmit={send} className="flex flex-col items-start gap-2">
      <label htmlFor={id} className="font-medium text-sm">
        {say.yourAnswer}
      </label>
      <textarea
        id={id}
        rows={2}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && send(event)}
        className={INPUT}
      />
      <Button type="submit" look="main" disabled={isBusy || typed.trim() === ''}>
        {word.answers.answer}
      </Button>
    </form>
  );
}
