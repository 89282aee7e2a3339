import { useTexts } from '../../shell/language.tsx';
import { STROKES } from './routes.tsx';
import type { EdgeKind, Structure } from './structure.ts';
import { texts } from './texts.ts';

const KINDS: readonly EdgeKind[] = ['data', 'after', 'hazard'];

/** Of what there is in this graph. */
export function Legend({ structure }: { readonly structure: Structure }) {
  const say = useTexts(texts);
  const kinds = KINDS.filter((kind) => structure.edges.some((edge) => edge.kind === kind));
  const hasGate = structure.nodes.some(({ kind }) => kind === 'gate');
  if (kinds.length === 0) return null;
  return (
    <ul aria-label={say.legend} className="flex flex-wrap gap-x-4 gap-y-1 text-faint text-xs">
      {kinds.map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg width="28" height="8" aria-hidden="true">
            <path d="M0,4H28" fill="none" className={`${STROKES[kind]} [stroke-width:2]`} />
          </svg>
          {say.edges[kind]}
        </li>
      ))}
      {hasGate && (
        <li className="flex items-center gap-2">
          <span aria-hidden="true" className="size-2 rotate-45 border-2 border-warn" />
          {say.gate}
        </li>
      )}
    </ul>
  );
}
