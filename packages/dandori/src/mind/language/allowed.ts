import { OWN_OPERATIONS } from '../../core/own-operations.ts';
import type { Action } from '../../domain/task.ts';
import type { Thought } from '../../ports/mind.ts';

/** Where an answer is asked for, tools are not; neither are they in direct mode. */
export function isAllowed({ operation }: Action, thought: Thought): boolean {
  return mayCallTools(thought) || OWN_OPERATIONS.has(operation);
}

export function mayCallTools({ purpose, state }: Thought): boolean {
  return (purpose === 'act' || purpose === 'generate') && state.settings.mode !== 'direct';
}
