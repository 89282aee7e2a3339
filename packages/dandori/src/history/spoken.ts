import { decidedFacts } from '../driver/thoughts.ts';
import type { Event, Fact, FactOf } from '../model/event.ts';
import { canonicalJson, type Json, type JsonObject, normalise } from '../model/json.ts';
import type { Step } from '../model/plan.ts';
import { type Action, isStep, type Task } from '../model/task.ts';
import { parseActions } from '../run/actions/parse.ts';
import type { RunState } from '../run/state/state.ts';

/** What was written down with a decision: a look back, a plan or a change of one, questions. */
export type Followed = readonly Event[];

type Made = FactOf<'decision_made'>['data'];

/**
 * The journal holds what became of a mind's words, and not the words. This finds words of which the same becomes: each
 * way of saying it is tried on the very code that takes a decision in, so that what is exact is known to be.
 */
export function spokenAgain(
  made: Made,
  followed: Followed,
  state: RunState,
): { actions: readonly Action[]; isExact: boolean } {
  const wanted = textOf([{ type: 'decision_made', data: made }, ...followed]);
  const ways = waysToSay(made, followed, state);
  const exact = ways.find((actions) => textOf(becomes(actions, made, state)) === wanted);
  return exact === undefined ? { actions: ways[0] ?? [], isExact: false } : { actions: exact, isExact: true };
}

function becomes(actions: readonly Action[], made: Made, state: RunState): Fact[] {
  const { decision, reasoning, repaired, model, usage, ms } = made;
  const taken = parseActions(actions, state);
  if (taken.problem !== undefined) return [];
  const thinking = { kind: 'decided' as const, actions, reasoning, repaired, model, usage };
  return decidedFacts(thinking, { decision, ms, taken, state });
}

function textOf(facts: readonly Fact[]): string {
  const plain = facts.map((fact) => ({ type: fact.type, data: said(fact) as Json }));
  return canonicalJson(normalise(plain));
}

/** Until when and by whom a question may be answered, the settings say, and not the mind. */
function said(fact: Fact): Fact['data'] {
  if (fact.type !== 'question_asked') return fact.data;
  const { expiresAt: _, answerers: __, ...question } = fact.data.question;
  return { ...fact.data, question };
}

function waysToSay({ operations = [] }: Made, followed: Followed, state: RunState): Action[][] {
  const plan = followed.find(({ type }) => type === 'plan_proposed' || type === 'plan_revised');
  if (plan?.type === 'plan_revised') {
    const { data } = plan;
    return [
      [...operations, revision(data, state)],
      [...operations, correction(data.tasks, state)],
      [...data.tasks, ...operations],
    ];
  }
  if (plan?.type !== 'plan_proposed') return [operations];
  const { tasks, removes = [], outline } = plan.data;
  const fresh = tasks.filter(({ id }) => !removes.includes(id));
  const proposed = operations.map((action) =>
    action.operation === 'plan.propose' ? withTasks(action, fresh, outline?.steps) : action,
  );
  return [
    proposed.some((action, index) => action !== operations[index]) ? proposed : [...fresh, ...operations],
    [...tasks, ...operations],
    [...operations, correction(tasks, state)],
  ];
}

/** A plan with its steps: each has its tasks in it, and they wait for what the step waits for anyway. */
function withTasks(action: Action, tasks: readonly Task[], steps: readonly Step[] = []): Action {
  const nodes = new Set(steps.map(({ id }) => id));
  const isInStep = ({ step }: Task) => step !== undefined && nodes.has(step);
  const rest = tasks.filter((task) => !isInStep(task) && !(isStep(task) && nodes.has(task.id)));
  const told = steps.map((step) => ({
    ...step,
    tasks: tasks.filter((task) => task.step === step.id).map((task) => withoutStep(task, step)),
  }));
  return {
    ...action,
    args: {
      ...action.args,
      ...(told.length > 0 && { steps: told as unknown as Json }),
      ...(rest.length > 0 && { tasks: rest as unknown as Json }),
    },
  };
}

function withoutStep({ step: _, after = [], ...task }: Task, { after: waits = [] }: Step): Task {
  const own = after.slice(0, after.length - waits.length);
  return { ...task, ...(own.length > 0 && { after: own }) };
}

/** `plan.revise` on an accepted plan. */
function revision(
  { reason, changes, supersedes = [], tasks }: FactOf<'plan_revised'>['data'],
  state: RunState,
): Action {
  const successors = new Map(
    supersedes.flatMap((id) => {
      const isSuccessor = (task: Task) => !state.tasks.has(task.id) && isNumbered(task.id, id);
      const successor = tasks.find(isSuccessor);
      return successor === undefined ? [] : [[id, successor] as const];
    }),
  );
  const before = new Map([...successors].map(([id, successor]) => [successor.id, id]));
  const named = (kind: string) => changes.flatMap((one) => (one.kind === kind ? [one.task ?? ''] : []));
  const find = (id: string) => tasks.filter((task) => task.id === id).slice(0, 1);
  const replace = named('replace').flatMap((id) => {
    const successor = successors.get(id);
    return successor === undefined ? find(id) : [{ ...successor, id }];
  });
  const order = changes.some(({ kind }) => kind === 'reorder')
    ? { order: tasks.map(({ id }) => before.get(id) ?? id) }
    : {};
  const args = { reason, replace, remove: named('remove'), add: named('add').flatMap(find), ...order };
  return { id: 'revise', operation: 'plan.revise', args: args as unknown as JsonObject };
}

/** `t1_2` stands for a `t1` that failed. */
function isNumbered(id: string, original: string): boolean {
  return id.startsWith(`${original}_`) && /^\d+$/.test(id.slice(original.length + 1));
}

/** `plan.revise` on a plan that was refused just before. */
function correction(tasks: readonly Task[], { refused }: RunState): Action {
  const old = new Set(refused?.tasks.map(({ id }) => id));
  const kept = new Set(tasks.map(({ id }) => id));
  const args = {
    replace: tasks.filter(({ id }) => old.has(id)),
    remove: [...old].filter((id) => !kept.has(id)),
    add: tasks.filter(({ id }) => !old.has(id)),
  };
  return { id: 'revise', operation: 'plan.revise', args: args as unknown as JsonObject };
}
