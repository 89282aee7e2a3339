import { stringifyJson } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { type FieldProps, FieldView } from './field-view.tsx';
import { texts } from './texts.ts';

interface Props extends FieldProps {
  readonly id: string;
  readonly describedBy: string | undefined;
}

export const INPUT = 'w-full max-w-xl rounded border border-line bg-paper px-2 py-1.5 text-sm';
const FEW = 5;

export function FieldInput(props: Props) {
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
    default:
      return <Typed {...props} />;
  }
}

/** One that need not be said has a third state: not said. */
function Flag({ field, entry, onChange, id, describedBy }: Props) {
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

/** All to be seen: radios for one of them, boxes for several. */
function Boxes({ field, entry, onChange, issues, id }: Props) {
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

function Select({ field, entry, onChange, issues, id, describedBy }: Props) {
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
/** Longer texts get room. */
const ONE_LINE = 200;

function Typed({ field, entry, onChange, issues, id, describedBy }: Props) {
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
