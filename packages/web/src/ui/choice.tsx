import { useId } from 'react';

interface Props<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly texts: Readonly<Record<T, string>>;
  readonly onChoose: (value: T) => void;
  /** The label is there for screen readers only. */
  readonly isBare?: boolean;
}

/** One of a few. */
export function Choice<T extends string>({
  label,
  value,
  options,
  texts,
  onChoose,
  isBare = false,
}: Props<T>) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2 text-sm">
      <label htmlFor={id} className={isBare ? 'sr-only' : 'text-faint'}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => {
          const chosen = options.find((option) => option === target.value);
          if (chosen !== undefined) onChoose(chosen);
        }}
        className="rounded border border-line bg-sheet px-2 py-1"
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {texts[option]}
          </option>
        ))}
      </select>
    </span>
  );
}
