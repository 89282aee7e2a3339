import { type ButtonHTMLAttributes, useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import { words } from '../texts/words.ts';
import { copyText } from './export-text.ts';

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

/** Browsers allow the clipboard only on localhost or behind TLS. */
export function CopyButton({ text }: { readonly text: () => string }) {
  const say = useTexts(words);
  const [isCopied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await copyText(text()).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <button
      type="button"
      onClick={copy}
      onBlur={() => setCopied(false)}
      className="text-accent text-xs hover:underline"
    >
      <span aria-live="polite">{isCopied ? say.copied : say.copy}</span>
    </button>
  );
}
