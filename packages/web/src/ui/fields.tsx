import { type ComponentProps, type KeyboardEvent, type Ref, useId } from 'react';

interface TextFieldProps extends Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> {
  readonly label: string;
  /** Without a border, for a field inside a bordered box. */
  readonly isBare?: boolean;
  readonly value: string;
  readonly onType: (text: string) => void;
  /** Ctrl+Enter, or Cmd+Enter. */
  readonly onSend?: () => void;
  readonly ref?: Ref<HTMLTextAreaElement>;
}

/** A text field that grows with its text. */
export function TextField({
  label,
  isBare = false,
  onType,
  onSend,
  className = '',
  onKeyDown,
  ...rest
}: TextFieldProps) {
  const send = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    onKeyDown?.(event);
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend?.();
  };
  return (
    <label className="flex flex-col gap-1">
      <span className="sr-only">{label}</span>
      <textarea
        {...rest}
        onChange={({ target }) => onType(target.value)}
        onKeyDown={send}
        className={`field-sizing-content w-full rounded ${isBare ? 'resize-none' : 'resize-y border border-line bg-sheet px-3 py-2'} ${className}`}
      />
    </label>
  );
}

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly ref?: Ref<HTMLInputElement>;
}

export function SearchField({ label, value, onType, ref }: SearchFieldProps) {
  return (
    <input
      ref={ref}
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={({ target }) => onType(target.value)}
      className="min-w-40 flex-1 rounded border border-line bg-sheet px-3 py-1.5 text-sm placeholder:text-faint"
    />
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly T[];
  readonly texts: Readonly<Record<T, string>>;
  readonly onChoose: (value: T) => void;
  /** The label is only for screen readers. */
  readonly isBare?: boolean;
}

/** A select box. */
export function Choice<T extends string>({
  label,
  value,
  options,
  texts,
  onChoose,
  isBare = false,
}: ChoiceProps<T>) {
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
