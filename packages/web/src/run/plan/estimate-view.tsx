import type { ReactNode } from 'react';
import type { Estimate } from '#dandori/model/plan.ts';
import { pathText } from '#dandori/model/text.ts';
import { durationText } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/plan.ts';

/** Longer lists of tasks are shortened in the middle. */

/** The estimate of a plan. */
export function EstimateView({ estimate }: { readonly estimate: Estimate }) {
  const say = useTexts(texts).estimate;
  const { calls, reads, writes, open = [], irreversible, criticalPath, cost, worstCost } = estimate;
  const { expectedMs, worstMs } = estimate;
  const isOpen = open.length > 0;
  if (isOpen && calls === 0) return <p className="text-faint text-sm">{say.steps}</p>;
  const times = [
    ...(expectedMs === undefined ? [] : [say.expected(durationText(expectedMs))]),
    ...(worstMs === undefined ? [] : [say.atWorst(durationText(worstMs))]),
  ];
  return (
    <div className="rounded border border-line bg-paper p-3">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm sm:grid-cols-4">
        <Figure name={say.calls}>{say.callsOf(calls, reads, writes)}</Figure>
        <Figure name={say.irreversible}>
          {irreversible.length === 0 ? (
            isOpen ? (
              say.untilPlanned
            ) : (
              say.none
            )
          ) : (
            <strong className="text-bad">
              <span aria-hidden="true">⚠ </span>
              {pathText(irreversible, ', ')}
            </strong>
          )}
        </Figure>
        <Figure name={say.time}>{times.length > 0 ? times.join(' · ') : say.unknown}</Figure>
        <Figure name={say.cost}>
          {cost === 0 && isOpen ? say.untilPlanned : `$${cost}`}
          {worstCost > cost && ` · ${say.atWorst(`$${worstCost}`)}`}
        </Figure>
        {open.length > 0 && <Figure name={say.open}>{pathText(open, ', ')}</Figure>}
        {criticalPath.length > 1 && (
          <div className="col-span-full">
            <dt className="text-faint text-xs">{say.path}</dt>
            <dd className="font-mono text-xs [overflow-wrap:anywhere]">{pathText(criticalPath, ' → ')}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-faint text-xs">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
