import { type FormEvent, type KeyboardEvent, useId, useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import { INPUT } from './field-input.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly isBusy: boolean;
  readonly onAnswer: (answer: string) => void;
}

/** An answer in one's own words. */
export function FreeText({ isBusy, onAnswer }: Props) {
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
        {say.answer}
      </Button>
    </form>
  );
}
