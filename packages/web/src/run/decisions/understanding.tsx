import type { ReactNode } from 'react';
import type { Outline } from '#dandori/model/plan.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

/** What the mind takes the goal to be. */
export function Understanding({ outline }: { readonly outline: Outline | undefined }) {
  const say = useTexts(texts);
  const { objective, successCriteria = [], constraints = [], reasoning } = outline ?? {};
  const isSaid = objective ?? reasoning ?? successCriteria[0] ?? constraints[0];
  if (isSaid === undefined) return null;
  return (
    <section aria-label={say.goal} className="rounded border border-line bg-sheet p-4">
      <h2 className="mb-2 font-semibold">{say.goal}</h2>
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        {objective !== undefined && <Said name={say.objective}>{objective}</Said>}
        {reasoning !== undefined && <Said name={say.reasoning}>{reasoning}</Said>}
        {successCriteria.length > 0 && (
          <Said name={say.criteria}>
            <Points points={successCriteria} />
          </Said>
        )}
        {constraints.length > 0 && (
          <Said name={say.constraints}>
            <Points points={constraints} />
          </Said>
        )}
      </dl>
    </section>
  );
}

function Said({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-faint text-xs">{name}</dt>
      <dd className="whitespace-pre-wrap [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function Points({ points }: { readonly points: readonly string[] }) {
  return (
    <ul className="list-disc pl-5">
      {points.map((point) => (
        <li key={point}>{point}</li>
      ))}
    </ul>
  );
}
