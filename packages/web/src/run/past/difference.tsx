import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RunDiff, RunDifference } from '#dandori/history/diff.ts';
import { type Json, stringifyJson } from '#dandori/model/json.ts';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts } from '../../texts/past.ts';
import { words } from '../../texts/words.ts';
import { Waiting } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Dialog } from '../dialog.tsx';
import type { ViewProps } from '../view.tsx';

interface Props {
  readonly origin: string;
  readonly run: string;
  readonly onClose: () => void;
}

function Difference({ origin, run, onClose }: Props) {
  const say = useTexts(texts);
  const client = useClient();
  const { data, error, isPending } = useQuery({
    queryKey: ['diff', origin, run],
    queryFn: () => client.diff(origin, run),
    // Both runs may have changed since.
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog title={say.differences} onClose={onClose} isWide>
      {isPending && <Waiting />}
      <Problem error={error} />
      {data !== undefined && <Compared diff={data} />}
    </Dialog>
  );
}

function Compared({ diff }: { readonly diff: RunDiff }) {
  const say = useTexts(texts);
  const groups = [...Map.groupBy(diff.differences, ({ kind }) => kind)];
  return (
    <>
      {diff.commonSeq !== undefined && <p className="text-faint text-sm">{say.common(diff.commonSeq)}</p>}
      {diff.isSame && <p>{say.same}</p>}
      {groups.map(([kind, differences]) => (
        <section key={kind} aria-label={say.differenceKinds[kind]}>
          <h3 className="font-semibold text-sm">{say.differenceKinds[kind]}</h3>
          <Table differences={differences} />
        </section>
      ))}
    </>
  );
}

/** Longer tables are cut. */
const SHOWN = 200;

function Table({ differences }: { readonly differences: readonly RunDifference[] }) {
  const say = useTexts(texts);
  return (
    <table className="w-full table-fixed border-collapse text-sm">
      <thead className="text-left text-faint text-xs">
        <tr>
          <th className="w-1/5 py-1 pr-2 font-normal">{say.what}</th>
          <th className="py-1 pr-2 font-normal">{say.origin}</th>
          <th className="py-1 font-normal">{say.here}</th>
        </tr>
      </thead>
      <tbody>
        {differences.slice(0, SHOWN).map(({ what, left, right }) => (
          <tr key={what} className="border-line border-t align-top">
            <th scope="row" className="break-words py-1 pr-2 text-left font-mono font-normal text-xs">
              {what}
            </th>
            <Value value={left} className="text-bad" />
            <Value value={right} className="text-good" />
          </tr>
        ))}
        {differences.length > SHOWN && (
          <tr>
            <td colSpan={3} className="py-1 text-faint">
              +{differences.length - SHOWN}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Value({ value, className }: { readonly value: Json | undefined; readonly className: string }) {
  const say = useTexts(texts);
  if (value === undefined) return <td className="py-1 pr-2 text-faint italic">{say.absent}</td>;
  const text = typeof value === 'string' ? value : stringifyJson(value, 2);
  return (
    <td className="py-1 pr-2">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        tabIndex={0}
        className={`max-h-40 overflow-auto whitespace-pre-wrap break-words font-mono text-xs ${className}`}
      >
        {text}
      </pre>
    </td>
  );
}

/** The origin of a fork, and the differences. */
export function ForkedFrom({ run, state: { forkedFrom } }: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const [isComparing, setIsComparing] = useState(false);
  if (forkedFrom === undefined) return null;
  const { run: origin, seq } = forkedFrom;
  return (
    <p className="text-faint text-sm">
      {word.forkedAt(seq)}{' '}
      <Link
        to={{ at: 'run', run: origin, view: 'graph', seq }}
        className="break-all font-mono text-accent text-xs underline"
      >
        {origin}
      </Link>{' '}
      <button type="button" className="ml-2 text-accent underline" onClick={() => setIsComparing(true)}>
        {say.differences}
      </button>
      {isComparing && <Difference origin={origin} run={run} onClose={() => setIsComparing(false)} />}
    </p>
  );
}
