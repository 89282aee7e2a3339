import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

/** A page on which a person does what is asked for. It is never opened by itself, and its host stands beside it. */
export function PageLink({ url }: { readonly url: string }) {
  const say = useTexts(texts);
  const page = URL.canParse(url) ? new URL(url) : undefined;
  const isWeb = page?.protocol === 'https:' || page?.protocol === 'http:';
  return (
    <div className="rounded border border-line bg-paper p-3 text-sm">
      {isWeb ? (
        <a
          href={page.href}
          target="_blank"
          rel="noreferrer noopener"
          className="font-medium text-accent underline"
        >
          {say.open(page.host)} <span aria-hidden="true">↗</span>
        </a>
      ) : (
        <p className="text-warn">{say.notOpened}</p>
      )}
      <p className="mt-1 font-mono text-faint text-xs [overflow-wrap:anywhere]">{url}</p>
    </div>
  );
}
