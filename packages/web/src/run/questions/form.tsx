import { type FormEvent, useId, useMemo, useState } from 'react';
import { assertNever } from '#dandori/model/error.ts';
import { type Json, type JsonObject, stringifyJson } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/questions.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import {
  type Entry,
  type FieldIssue,
  type FormField,
  filledIn,
  firstEntries,
  formFields,
} from './form-draft.ts';

interface Props {
  readonly form: JsonObject;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: Json) => void;
}

/** A form made from a JSON Schema. Issues appear at the fields after the first attempt to send. */
export function Form({ form, isBusy, onAnswer }: Props) {
  const word = useTexts(words);
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
    // React marks the fields in the next frame.
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
          {word.answers.answer}
        </Button>
        <p role="status" className="text-bad text-sm">
          {shown.size > 0 && say.form.issues(shown.size)}
        </p>
      </div>
    </form>
  );
}

const NONE: ReadonlyMap<string, FieldIssue> = new Map();

interface FieldProps {
  readonly field: FormField;
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
  readonly issues: ReadonlyMap<string, FieldIssue>;
}

/** A field with its label, hint and issue. */
function FieldView({ field, entry, onChange, issues }: FieldProps) {
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

interface FieldInputProps extends FieldProps {
  readonly id: string;
  readonly describedBy: string | undefined;
}

export const INPUT = 'w-full max-w-xl rounded border border-line bg-paper px-2 py-1.5 text-sm';
const FEW = 5;

function FieldInput(props: FieldInputProps) {
  const { field, entry, onChange, issues } = props;
  switch (field.kind) {
    case 'group': {
      const entries = typeof entry === 'object' && !Array.isArray(entry) ? { ...entry } : {};
      return field.fields.map((one) => (
        <FieldView
          key={one.name}
          field={one}
          entry={(entries as Record<string, typeof entry>)[one.name] ?? ''}
          onChange={(changed) => onChange({ ...entries, [one.name]: changed })}
          issues={issues}
        />
      ));
    }
    case 'flag':
      return <Flag {...props} />;
    case 'choice':
      return field.choices.length <= FEW ? <Boxes {...props} /> : <Select {...props} />;
    case 'many':
      return <Boxes {...props} />;
    case 'number':
    case 'text':
    case 'other':
      return <Typed {...props} />;
    default:
      return assertNever(field.kind);
  }
}

/** An optional flag has a third state: left out. */
function Flag({ field, entry, onChange, id, describedBy }: FieldInputProps) {
  const say = useTexts(texts).form;
  if (field.isRequired)
    return (
      <input
        id={id}
        type="checkbox"
        checked={entry === 'true'}
        onChange={({ target }) => onChange(String(target.checked))}
        aria-describedby={describedBy}
        className="size-4 accent-(--accent)"
      />
    );
  return (
    <select
      id={id}
      value={String(entry)}
      onChange={({ target }) => onChange(target.value)}
      aria-describedby={describedBy}
      className={`${INPUT} max-w-40`}
    >
      <option value="">{say.leaveOut}</option>
      <option value="true">{say.yes}</option>
      <option value="false">{say.no}</option>
    </select>
  );
}

/** All options at once: radio buttons for one, checkboxes for several. */
function Boxes({ field, entry, onChange, issues, id }: FieldInputProps) {
  const places = Array.isArray(entry) ? (entry as readonly number[]) : [];
  const isMany = field.kind === 'many';
  const toggle = (index: number, isOn: boolean) => {
    if (!isMany) return onChange([index]);
    const others = places.filter((place) => place !== index);
    onChange(isOn ? [...others, index].sort((one, other) => one - other) : others);
  };
  return (
    <div className="flex flex-col gap-1">
      {field.choices.map(({ label, value }, index) => (
        <label key={stringifyJson(value)} className="flex items-start gap-2 text-sm">
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={id}
            checked={places.includes(index)}
            onChange={({ target }) => toggle(index, target.checked)}
            aria-invalid={issues.has(field.path)}
            className="mt-0.5 size-4 accent-(--accent)"
          />
          <span className="min-w-0 [overflow-wrap:anywhere]">{label}</span>
        </label>
      ))}
    </div>
  );
}

function Select({ field, entry, onChange, issues, id, describedBy }: FieldInputProps) {
  const say = useTexts(texts).form;
  const [place = ''] = Array.isArray(entry) ? (entry as readonly number[]) : [];
  return (
    <select
      id={id}
      value={String(place)}
      onChange={({ target }) => onChange(target.value === '' ? [] : [Number(target.value)])}
      aria-describedby={describedBy}
      aria-invalid={issues.has(field.path)}
      className={INPUT}
    >
      <option value="">{field.isRequired ? '—' : say.leaveOut}</option>
      {field.choices.map(({ label, value }, index) => (
        <option key={stringifyJson(value)} value={index}>
          {label}
        </option>
      ))}
    </select>
  );
}

const TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
};
/** Longer texts get several lines. */
const ONE_LINE = 200;

function Typed({ field, entry, onChange, issues, id, describedBy }: FieldInputProps) {
  const say = useTexts(texts).form;
  const { schema, kind } = field;
  const text = typeof entry === 'string' ? entry : '';
  const common = {
    id,
    value: text,
    'aria-describedby': describedBy,
    'aria-invalid': issues.has(field.path),
    'aria-required': field.isRequired,
  };
  const isLong = kind === 'other' || (typeof schema.maxLength === 'number' && schema.maxLength > ONE_LINE);
  if (isLong)
    return (
      <textarea
        {...common}
        rows={3}
        placeholder={kind === 'other' ? (schema.type === 'array' ? say.list : 'JSON') : undefined}
        onChange={({ target }) => onChange(target.value)}
        className={`${INPUT} ${kind === 'other' ? 'font-mono' : ''}`}
      />
    );
  return (
    <input
      {...common}
      type={TYPES[String(schema.format)] ?? 'text'}
      inputMode={kind === 'number' ? (schema.type === 'integer' ? 'numeric' : 'decimal') : undefined}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
      className={`${INPUT} ${kind === 'number' ? 'max-w-40' : ''}`}
    />
  );
}
