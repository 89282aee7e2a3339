import { useId, useState } from 'react';
import type { Json } from '#dandori/model/json.ts';
import { parseJson } from '#dandori/model/json.ts';
import type { Question } from '#dandori/model/question.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly question: Question;
  /** Undefined leaves it open. */
  readonly onAnswer: (answer: Json | undefined) => void;
}

/** One of a few, a text, or where a form wants more than that, JSON. */
export function ForkAnswer({ question, onAnswer }: Props) {
  const say = useTexts(texts);
  const id = useId();
  const { text, options, form } = question;
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="break-words text-sm">
        {text} {form !== undefined && <span className="text-faint">({say.asJson})</span>}
      </label>
      {options === undefined ? (
        <Written id={id} isJson={form !== undefined} onAnswer={onAnswer} />
      ) : (
        <select
          id={id}
          className="rounded border border-line bg-paper px-2 py-1.5"
          onChange={({ target }) => onAnswer(options[Number(target.value)]?.value)}
        >
          <option value="">{say.leaveOpen}</option>
          {options.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function Written({
  id,
  isJson,
  onAnswer,
}: Pick<Props, 'onAnswer'> & { readonly id: string; readonly isJson: boolean }) {
  const say = useTexts(texts);
  const [isBad, setIsBad] = useState(false);
  const take = (text: string) => {
    const read = text.trim() === '' ? { value: undefined } : isJson ? parsed(text) : { value: text };
    setIsBad(read === undefined);
    onAnswer(read?.value);
  };
  return (
    <>
      <input
        id={id}
        aria-invalid={isBad}
        className="rounded border border-line bg-paper px-2 py-1.5"
        onChange={({ target }) => take(target.value)}
      />
      {isBad && <p className="text-bad text-xs">{say.badJson}</p>}
    </>
  );
}

function parsed(text: string): { readonly value: Json } | undefined {
  try {
    return { value: parseJson(text) as Json };
  } catch {
    return undefined;
  }
}
