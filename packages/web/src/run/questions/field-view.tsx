import { useId } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { FieldInput } from './field-input.tsx';
import type { FieldIssue } from './field-issue.ts';
import type { Entry, FormField } from './form-draft.ts';
import { texts } from './texts.ts';

export interface FieldProps {
  readonly field: FormField;
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
  readonly issues: ReadonlyMap<string, FieldIssue>;
}

/** A field with its name, what is said about it, and what is wrong with it. */
export function FieldView({ field, entry, onChange, issues }: FieldProps) {
  const { form: say, yourAnswer } = useTexts(texts);
  const id = useId();
  const { label, hint, isRequired, path, kind } = field;
  const issue = issues.get(path);
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(issue ? [`${id}-issue`] : [])];
  const isMany = kind === 'group' || kind === 'many' || (kind === 'choice' && field.choices.length <= 5);
  const name = (
    <>
      {label === '' ? yourAnswer : label}
      {!isRequired && <span className="font-normal text-faint text-xs"> ({say.optional})</span>}
    </>
  );
  const inner = (
    <>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-faint text-xs">
          {hint}
        </p>
      )}
      <FieldInput
        field={field}
        entry={entry}
        onChange={onChange}
        issues={issues}
        id={id}
        describedBy={described.join(' ') || undefined}
      />
      {issue !== undefined && (
        <p id={`${id}-issue`} className="text-bad text-sm">
          <span aria-hidden="true">✕ </span>
          {issueText(issue, say)}
        </p>
      )}
    </>
  );
  return isMany ? (
    <fieldset
      aria-describedby={described.join(' ') || undefined}
      className={`flex flex-col gap-1 ${kind === 'group' ? 'rounded border border-line p-3' : ''}`}
    >
      <legend className="font-medium text-sm">{name}</legend>
      {inner}
    </fieldset>
  ) : (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium text-sm">
        {name}
      </label>
      {inner}
    </div>
  );
}

type FormTexts = (typeof texts)['en']['form'];

function issueText(issue: FieldIssue, say: FormTexts): string {
  if ('limit' in issue) return say[issue.kind](issue.limit);
  return issue.kind === 'format' ? say.format(issue.name) : say[issue.kind];
}
