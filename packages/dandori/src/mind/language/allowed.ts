import { OWN_OPERATIONS, type OwnOperation, ownOperations } from '../../core/own-operations.ts';
import type { Action } from '../../domain/task.ts';
import type { Thought } from '../../ports/mind.ts';
import type { CallNames } from '../json/written-call.ts';

/** What of our own a model is told that it may do, in every call of a run the same. */
export function offeredOperations({ state }: Pick<Thought, 'state'>): readonly OwnOperation[] {
  const own = ownOperations(state);
  const { settings, planGiven } = state;
  const { mode, planning } = settings;
  if (mode === 'direct') return own.filter(({ name }) => name === 'answer' || name === 'ask');
  // A plan of the user's may have steps whatever the mode.
  if (mode !== 'adaptive' || planGiven) return own;
  const isPlain = planning?.reflection === undefined;
  return own.filter(({ name }) => !PLANNING.has(name) && !(isPlain && name === 'reflect'));
}

/** Corrections are made by `plan.revise` in every mode. */
const PLANNING: ReadonlySet<string> = new Set(['plan.propose', 'plan.update_step']);

/** Where an answer is asked for, tools are not; neither are they in direct mode. */
export function isAllowed({ operation }: Action, thought: Thought): boolean {
  return mayCallTools(thought) || OWN_OPERATIONS.has(operation);
}

export function mayCallTools({ purpose, state }: Thought): boolean {
  return (purpose === 'act' || purpose === 'generate') && state.settings.mode !== 'direct';
}

/** How a model may name what it can call, by which a call that it wrote as text is known. */
export function callNames(
  { tools }: Thought,
  toNative = (name: string) => name.replaceAll('.', '_'),
): CallNames {
  const operations = [...tools.keys(), ...OWN_OPERATIONS];
  return new Set(operations.flatMap((name) => [name, toNative(name), name.slice(name.lastIndexOf('.') + 1)]));
}
