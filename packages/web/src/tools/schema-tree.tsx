import { useState } from 'react';
import { isObject, stringifyJson } from '#dandori/model/json.ts';
import {
  itemAt,
  propertiesOf,
  type SchemaView,
  typesOf,
  valuesOf,
  viewOf,
} from '#dandori/plan/schema/view.ts';
import { useTexts } from '../shell/language.tsx';
import { texts } from '../texts/tools.ts';

export function SchemaTree({ view }: { readonly view: SchemaView }) {
  const say = useTexts(texts);
  const fields = Object.entries(propertiesOf(view));
  const { schema, root } = view;
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (fields.length === 0 && partsOf(view) === undefined)
    return <p className="text-faint">{isObject(schema.properties) ? say.nothing : kindOf(view, say)}</p>;
  if (fields.length === 0) return <Within view={view} />;
  return (
    <ul className="flex flex-col gap-1 border-line border-l pl-3">
      {fields.map(([name, field]) => (
        <li key={name}>
          <Field name={name} view={viewOf(field, root)} isRequired={required.includes(name)} />
        </li>
      ))}
    </ul>
  );
}

interface FieldProps {
  readonly name: string;
  readonly view: SchemaView;
  readonly isRequired: boolean;
}

function Field({ name, view, isRequired }: FieldProps) {
  const say = useTexts(texts);
  const { description, default: preset } = view.schema;
  const head = (
    <>
      <code className="break-all">{name}</code> <span className="text-faint">{kindOf(view, say)}</span>{' '}
      {isRequired && <span className="text-accent text-xs">{say.required}</span>}{' '}
      {preset !== undefined && (
        <span className="break-all text-faint text-xs">
          {say.byDefault} {stringifyJson(preset)}
        </span>
      )}
    </>
  );
  return (
    <>
      {partsOf(view) === undefined ? <p>{head}</p> : <Folded head={head} view={view} />}
      {typeof description === 'string' && (
        <p className="max-w-prose whitespace-pre-wrap break-words text-faint">{description}</p>
      )}
    </>
  );
}

/** A schema may contain itself, so nested fields are rendered only when they are opened. */
function Folded({ head, view }: { readonly head: React.ReactNode; readonly view: SchemaView }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer rounded">{head}</summary>
      {isOpen && (
        <div className="mt-1 ml-1">
          <Within view={view} />
        </div>
      )}
    </details>
  );
}

function Within({ view }: { readonly view: SchemaView }) {
  const say = useTexts(texts);
  const within = partsOf(view);
  if (within === 'fields') return <SchemaTree view={view} />;
  if (within === 'items') {
    const item = itemAt(view, 0);
    return item === undefined ? null : <Field name={say.items} view={item} isRequired={false} />;
  }
  const options = [view.schema.anyOf, view.schema.oneOf].find(Array.isArray) ?? [];
  return (
    <ul className="flex flex-col gap-1 border-line border-l pl-3">
      {options.map((option, index) => (
        <li key={index}>
          <Field name={say.option(index + 1)} view={viewOf(option, view.root)} isRequired={false} />
        </li>
      ))}
    </ul>
  );
}

/** A short type: `string`, `string[]`, `"a" | "b"`. */
export function kindOf(
  view: SchemaView,
  words: { readonly anything: string; readonly oneOf: string },
): string {
  const values = valuesOf(view);
  if (values !== undefined) return values.map((value) => stringifyJson(value)).join(' | ');
  if (partsOf(view) === 'options') return words.oneOf;
  const types = typesOf(view);
  if (types === undefined) return words.anything;
  const item = itemAt(view, 0);
  const named = [...types].map((type) =>
    type === 'array' && item !== undefined && partsOf(item) === undefined ? `${kindOf(item, words)}[]` : type,
  );
  const { format } = view.schema;
  return `${named.join(' | ')}${typeof format === 'string' ? ` (${format})` : ''}`;
}

/** A list may contain itself. */
const DEEPEST = 8;

/** What a schema contains, if anything. */
export function partsOf(view: SchemaView, depth = 0): 'fields' | 'items' | 'options' | undefined {
  if (Object.keys(propertiesOf(view)).length > 0) return 'fields';
  if ([view.schema.anyOf, view.schema.oneOf].some(Array.isArray)) return 'options';
  const item = itemAt(view, 0);
  if (item === undefined) return undefined;
  return depth === DEEPEST || partsOf(item, depth + 1) !== undefined ? 'items' : undefined;
}
