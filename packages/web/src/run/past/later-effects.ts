import type { Event } from '#dandori/model/event.ts';
import { type Effect, isRepeatable } from '#dandori/model/tool.ts';
import type { RunState } from '#dandori/run/state/state.ts';

export interface LaterEffect {
  readonly task: string;
  readonly operation: string;
  readonly effect: Effect;
}

/** What was called behind this event and changes something: a fork may call it once more. */
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
