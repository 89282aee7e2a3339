import { useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import type { ViewProps } from '../view.ts';
import { Difference } from './difference.tsx';
import { texts } from './texts.ts';

/** Where a fork comes from, and what became different. */
export function ForkedFrom({ run, state: { forkedFrom } }: ViewProps) {
  const say = useTexts(texts);
  const [isComparing, setIsComparing] = useState(false);
  if (forkedFrom === undefined) return null;
  const { run: origin, seq } = forkedFrom;
  return (
    <p className="text-faint text-sm">
      {say.forkedAt(seq)}{' '}
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
