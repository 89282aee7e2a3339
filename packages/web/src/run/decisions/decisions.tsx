import { useMemo } from 'react';
import type { ProposedEntry } from '#dandori/history/plan-history.ts';
import { useTexts } from '../../shell/language.tsx';
import { RichText } from '../../ui/rich-text.tsx';
import type { ViewProps } from '../view.ts';
import { DecisionView } from './decision-view.tsx';
import { EntryFrame } from './entry-frame.tsx';
import { PlanEntry, ReflectionEntry } from './plan-entry.tsx';
import { type StoryEntry, storyOf } from './story.ts';
import { texts } from './texts.ts';
import { Understanding } from './understanding.tsx';

/** How the run came to do what it does. */
export function Decisions({ run, state, events }: ViewProps) {
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
  const say = useTexts(texts);
  switch (entry.kind) {
    case 'decision':
      return <DecisionView run={run} entry={entry} />;
    case 'note': {
      const { by, passedOnBy } = entry;
      const title = passedOnBy === undefined ? say.note(by) : say.passedOn(passedOnBy.run);
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
    default:
      return (
        <PlanEntry run={run} entry={entry} isMended={isRepair(next) && next.version === entry.version} />
      );
  }
}

function isRepair(entry: StoryEntry | undefined): entry is ProposedEntry {
  return (entry?.kind === 'proposed' || entry?.kind === 'revised') && entry.by === 'repair';
}
