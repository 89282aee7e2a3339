import { useState } from 'react';
import { stringifyJson } from '#dandori/model/json.ts';
import { isObject, itemAt, propertiesOf, type SchemaView, viewOf } from '#dandori/plan/schema/view.ts';
import { useTexts } from '../shell/language.tsx';
import { inner, kindOf } from './schema-kind.ts';
import { texts } from './texts.ts';

/** The fields of a value, each with those within it. */
export function SchemaTree({ view }: { readonly view: SchemaView }) {
  const say = useTexts(texts);
  const fields = Object.entries(propertiesOf(view));
  const { schema, root } = view;
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (fields.length === 0 && inner(view) === undefined)
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
      {inner(view) === undefined ? <p>{head}</p> : <Folded head={head} view={view} />}
      {typeof description === 'string' && (
        <p className="max-w-prose whitespace-pre-wrap break-words text-faint">{description}</p>
      )}
    </>
  );
}

/** A schema may hold itself, so what is within is made only when it is opened. */
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
  const within = inner(view);
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
