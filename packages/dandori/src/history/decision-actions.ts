import { decidedFacts } from '../driver/index.ts';
import type { Event, Fact, FactOf } from '../model/event.ts';
import { canonicalJson, type Json, normalise } from '../model/json.ts';
import type { Action } from '../model/task.ts';
import { parseActions } from '../run/actions/parse-actions.ts';
import type { RunState } from '../run/state/state.ts';
import { isOfDecision } from './fork-point.ts';

type Made = FactOf<'decision_made'>['data'];

interface Surroundings {
  /** The facts that were written together with the decision. */
  readonly followed: () => readonly Event[];
  /** The state before the decision. */
  readonly state: RunState;
}

/**
 * The actions that the mind chose. Journals of older versions lack them if the decision proposes or revises a
 * plan: there they are rebuilt from the plan. `isExact` is false if the rebuilt ones would lead to other facts.
 */
export function actionsOf(
  made: Made,
  { followed, state }: Surroundings,
): { readonly actions: Action[]; readonly isExact: boolean } {
  if (made.actions !== undefined) return { actions: made.actions, isExact: true };
  const after = followed();
  const actions = journaledActions(made, after);
  return { actions, isExact: leadsTo(after, actions, { made, state }) };
}

/** The tasks with their ids in the run, and own operations. Apart from the ids, this is what the mind said. */
function journaledActions({ operations = [] }: Made, followed: readonly Event[]): Action[] {
  const plan = followed.find(({ type }) => type === 'plan_proposed' || type === 'plan_revised');
  if (plan?.type !== 'plan_proposed' && plan?.type !== 'plan_revised') return operations;
  const { tasks, removes = [] } = plan.data;
  return [...tasks.filter(({ id }) => !removes.includes(id)), ...operations];
}

function leadsTo(
  followed: readonly Event[],
  actions: readonly Action[],
  { made, state }: { readonly made: Made; readonly state: RunState },
): boolean {
  const { decision, ms, ...said } = made;
  const taken = parseActions(actions, state);
  if (taken.problem !== undefined) return false;
  const facts = decidedFacts(
    { kind: 'decided', ...said, actions: [...actions] },
    { decision, ms, taken, state },
  );
  return factsText(facts) === factsText([{ type: 'decision_made', data: made }, ...followed]);
}

function factsText(facts: readonly Fact[]): string {
  const plain = facts.map((fact) => ({ type: fact.type, data: withoutTerms(fact) as Json }));
  return canonicalJson(normalise(plain));
}

/** The deadline and the answerers of a question come from the settings, not from the mind. */
function withoutTerms(fact: Fact): Fact['data'] {
  if (fact.type !== 'question_asked') return fact.data;
  const { expiresAt: _, answerers: __, ...question } = fact.data.question;
  return { ...fact.data, question };
}

/** The facts that were written together with the decision. */
export function writtenWith(events: readonly Event[], from: number): readonly Event[] {
  let end = from;
  while (isOfDecision(events[end])) end++;
  return events.slice(from, end);
}
