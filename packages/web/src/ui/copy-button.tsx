import { useState } from 'react';
import { useTexts } from '../shell/language.tsx';
import { words } from './words.ts';

/** Browsers give the clipboard to pages on this machine or behind TLS only. */
export function CopyButton({ text }: { readonly text: () => string }) {
  const say = useTexts(words);
  const [isCopied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text()).then(
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
