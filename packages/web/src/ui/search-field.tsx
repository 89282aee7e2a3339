import type { Ref } from 'react';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly ref?: Ref<HTMLInputElement>;
}

export function SearchField({ label, value, onType, ref }: Props) {
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
