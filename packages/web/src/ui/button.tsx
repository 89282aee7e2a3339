import type { ButtonHTMLAttributes } from 'react';

const LOOKS = {
  main: 'border-accent bg-accent text-on-accent hover:opacity-90',
  plain: 'border-line bg-sheet text-ink hover:bg-sunken',
  danger: 'border-bad bg-sheet text-bad hover:bg-sunken',
  bare: 'border-transparent text-accent hover:underline',
} as const;

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof LOOKS;
}

export function Button({ look = 'plain', type = 'button', className = '', ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={`rounded border px-3 py-1.5 text-sm disabled:cursor-not-allowed disabled:opacity-50 ${LOOKS[look]} ${className}`}
    />
  );
}
