import { type ReactNode, useMemo } from 'react';
import type { ProposedEntry } from '#dandori/history/plan-history.ts';
import { assertNever } from '#dandori/model/error.ts';
import type { Outline } from '#dandori/model/plan.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/decisions.ts';
import { words } from '../../texts/words.ts';
import { RichText } from '../../ui/rich-text.tsx';
import type { ViewProps } from '../view.tsx';
import { type StoryEntry, storyOf } from './decision-entries.ts';
import { DecisionView, EntryFrame, PlanEntry, ReflectionEntry } from './entries.tsx';

/** The decisions, plans, reflections and notes of a run, by time. */
export default function Decisions({ run, state, events }: ViewProps) {
  const say = useTexts(texts);
  const story = useMemo(() => storyOf(events), [events]);
  return (
    <div className="flex flex-col gap-4">
      <Understanding outline={state.outline ?? state.draft?.outline} />
      {story.length === 0 && <p className="p-4 text-faint">{say.none}</p>}
      <h2 className="sr-only">{say.story}</h2>
      <ol aria-label={say.story} className="flex flex-col gap-3">
        {story.map((entry, index) => (
          <Entry key={entry.seq} run={run} entry={entry} next={story[index + 1]} />
        ))}
      </ol>
    </div>
  );
}

interface EntryProps {
  readonly run: string;
  readonly entry: StoryEntry;
  readonly next: StoryEntry | undefined;
}

function Entry({ run, entry, next }: EntryProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  switch (entry.kind) {
    case 'decision':
      return <DecisionView run={run} entry={entry} />;
    case 'note': {
      const { by, passedOnBy } = entry;
      const title = passedOnBy === undefined ? say.note(by) : word.passedOn(passedOnBy.run);
      return (
        <EntryFrame run={run} seq={entry.seq} at={entry.at} title={title} colour="border-l-busy">
          <div className="text-sm">
            <RichText text={entry.text} />
          </div>
        </EntryFrame>
      );
    }
    case 'reflected':
      return <ReflectionEntry run={run} entry={entry} />;
    case 'proposed':
    case 'revised':
      return (
        <PlanEntry run={run} entry={entry} isMended={isRepair(next) && next.version === entry.version} />
      );
    default:
      return assertNever(entry);
  }
}

function isRepair(entry: StoryEntry | undefined): entry is ProposedEntry {
  return (entry?.kind === 'proposed' || entry?.kind === 'revised') && entry.by === 'repair';
}

/** How the model understands the goal. */
function Understanding({ outline }: { readonly outline: Outline | undefined }) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { objective, successCriteria = [], constraints = [], reasoning } = outline ?? {};
  const isSaid = objective ?? reasoning ?? successCriteria[0] ?? constraints[0];
  if (isSaid === undefined) return null;
  return (
    <section aria-label={say.goal} className="rounded border border-line bg-sheet p-4">
      <h2 className="mb-2 font-semibold">{say.goal}</h2>
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        {objective !== undefined && <Said name={word.outline.objective}>{objective}</Said>}
        {reasoning !== undefined && <Said name={word.reasoning}>{reasoning}</Said>}
        {successCriteria.length > 0 && (
          <Said name={word.outline.successCriteria}>
            <Points points={successCriteria} />
          </Said>
        )}
        {constraints.length > 0 && (
          <Said name={word.outline.constraints}>
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
