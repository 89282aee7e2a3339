import { type HistoryEntry, planEntries } from '#dandori/history/plan-history.ts';
import type { Event, FactOf } from '#dandori/model/event.ts';

/** One decision, from the event that started it. */
export interface DecisionEntry {
  readonly kind: 'decision';
  readonly seq: number;
  readonly at: number;
  readonly asked: FactOf<'decision_started'>['data'];
  /** Both are undefined while the model is thinking. */
  readonly made?: FactOf<'decision_made'>['data'];
  readonly failed?: FactOf<'decision_failed'>['data'];
}

type NoteEntry = FactOf<'note_added'>['data'] & {
  readonly kind: 'note';
  readonly seq: number;
  readonly at: number;
};

export type StoryEntry = DecisionEntry | NoteEntry | HistoryEntry;

/** All entries, by time. */
export function storyOf(events: readonly Event[]): StoryEntry[] {
  const decisions = new Map<number, DecisionEntry>();
  const notes: NoteEntry[] = [];
  for (const { seq, at, type, data } of events) {
    if (type === 'decision_started') decisions.set(data.decision, { kind: 'decision', seq, at, asked: data });
    else if (type === 'decision_made') change(decisions, data.decision, { made: data });
    else if (type === 'decision_failed') change(decisions, data.decision, { failed: data });
    else if (type === 'note_added') notes.push({ kind: 'note', seq, at, ...data });
  }
  return [...decisions.values(), ...notes, ...planEntries(events)].sort((a, b) => a.seq - b.seq);
}

function change(
  decisions: Map<number, DecisionEntry>,
  number: number,
  ending: Pick<DecisionEntry, 'made' | 'failed'>,
): void {
  const entry = decisions.get(number);
  if (entry !== undefined) decisions.set(number, { ...entry, ...ending });
}
