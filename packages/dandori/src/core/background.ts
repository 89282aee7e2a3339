import type { RunState } from './state.ts';

/** So many calls a user can wait for at the prompt. */
const LIGHT_TASKS = 5;
/** Milliseconds that a user waits at the prompt. */
export const LIGHT_TIME = 30_000;

/**
 * Whether a run of a conversation is work that nobody should wait for: it has a plan with steps, or more than a few
 * tasks. That it takes long, and that it waits for a person, its driver sees.
 */
export function isHeavy({ stepCount, tasks }: RunState): boolean {
  return stepCount > 0 || tasks.size > LIGHT_TASKS;
}
