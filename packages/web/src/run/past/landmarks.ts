import type { Event } from '#dandori/model/event.ts';
import { type FactHandlers, handleFact } from '#dandori/model/event-kinds.ts';
import { type Effect, isRepeatable } from '#dandori/model/tool.ts';
import type { RunState } from '#dandori/run/state/state.ts';

/** Events that a user looks for. */
export type LandmarkKind = 'decision' | 'question' | 'failure';

export const LANDMARK_KINDS: readonly LandmarkKind[] = ['decision', 'question', 'failure'];

const failure = (): LandmarkKind => 'failure';

const LANDMARKS: FactHandlers<LandmarkKind | undefined> = {
  decision_made: () => 'decision',
  question_asked: () => 'question',
  task_failed: failure,
  task_in_doubt: failure,
  decision_failed: failure,
  plan_rejected: failure,
  run_finished: ({ data }) => (data.outcome === 'failed' ? 'failure' : undefined),
};

export function landmarkOf(event: Event): LandmarkKind | undefined {
  return handleFact(event, LANDMARKS);
}

/** The seq of the nearest landmark before or after this event. */
export function nearestLandmark(
  events: readonly Event[],
  seq: number,
  { kind, isBack }: { readonly kind: LandmarkKind; readonly isBack: boolean },
): number | undefined {
  const isWanted = (event: Event) => landmarkOf(event) === kind;
  // Events are numbered from 1 without gaps.
  const found = isBack ? events.slice(0, seq - 1).findLast(isWanted) : events.slice(seq).find(isWanted);
  return found?.seq;
}

interface Mark {
  readonly kind: LandmarkKind;
  /** From 0 to 1. */
  readonly place: number;
}

/** Marks that can be told apart on the slider. */
const PLACES = 240;

/** The marks of the slider, at most one of each kind per place. */
export function marksOf(events: readonly Event[]): Mark[] {
  const marks = new Map<string, Mark>();
  const last = Math.max(1, events.length - 1);
  for (const [index, event] of events.entries()) {
    const kind = landmarkOf(event);
    if (kind === undefined) continue;
    const place = Math.round((index / last) * PLACES);
    marks.set(`${kind} ${place}`, { kind, place: place / PLACES });
  }
  return [...marks.values()];
}

interface LaterEffect {
  readonly task: string;
  readonly operation: string;
  readonly effect: Effect;
}

/** Calls with an effect after this event. A fork may repeat them. */
export function laterEffects(
  events: readonly Event[],
  seq: number,
  { tasks }: Pick<RunState, 'tasks'>,
): LaterEffect[] {
  const begun = new Set(
    events.slice(seq).flatMap((event) => (event.type === 'task_started' ? [event.data.task] : [])),
  );
  return [...begun].flatMap((id) => {
    const of = tasks.get(id);
    if (of === undefined || isRepeatable(of.effect)) return [];
    return [{ task: id, operation: of.task.operation, effect: of.effect }];
  });
}
