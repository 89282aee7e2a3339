import { DandoriError } from '#domain/error.ts';

/** What went wrong and what to do, as the server said it. */
export function Problem({ error }: { readonly error: unknown }) {
  if (error === undefined || error === null) return null;
  const text = error instanceof Error ? error.message : String(error);
  const fix = error instanceof DandoriError ? error.fix : undefined;
  return (
    <div role="alert" className="rounded border border-bad px-3 py-2 text-sm">
      <p className="text-bad">{text}</p>
      {fix !== undefined && <p className="text-faint">{fix}</p>}
    </div>
  );
}
