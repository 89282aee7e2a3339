import { type FormEvent, useMemo, useState } from 'react';
import type { Json, JsonObject } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { Button } from '../../ui/button.tsx';
import type { FieldIssue } from './field-issue.ts';
import { FieldView } from './field-view.tsx';
import { type Entry, filledIn, firstEntries, formFields } from './form-draft.ts';
import { texts } from './texts.ts';

interface Props {
  readonly form: JsonObject;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: Json) => void;
}

/** A form made of a JSON Schema. What is wrong is said at the field, once somebody has tried to send it. */
export function Form({ form, isBusy, onAnswer }: Props) {
  const say = useTexts(texts);
  const fields = useMemo(() => formFields(form), [form]);
  const [entries, setEntries] = useState<{ readonly [name: string]: Entry }>(() => firstEntries(fields));
  const [isTried, setTried] = useState(false);
  const { value, issues } = filledIn(fields, entries);
  const shown = isTried ? issues : NONE;
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setTried(true);
    if (issues.size === 0) return onAnswer(value);
    const form = event.currentTarget;
    // The fields are marked with the next frame.
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <form noValidate onSubmit={send} className="flex flex-col gap-3">
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          entry={entries[field.name] ?? ''}
          onChange={(entry) => setEntries({ ...entries, [field.name]: entry })}
          issues={shown}
        />
      ))}
      <div className="flex items-center gap-3">
        <Button type="submit" look="main" disabled={isBusy}>
          {say.answer}
        </Button>
        <p role="status" className="text-bad text-sm">
          {shown.size > 0 && say.form.problems(shown.size)}
        </p>
      </div>
    </form>
  );
}

const NONE: ReadonlyMap<string, FieldIssue> = new Map();
