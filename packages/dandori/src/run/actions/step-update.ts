import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { type Action, isStep } from '../../model/task.ts';
import { hasEnded, type RunState } from '../state/state.ts';
import { OWN_OPERATIONS } from './own-operations.ts';

const UPDATE = 'plan.update_step';

/** Why `plan.update_step` changes nothing, as a text for the mind. Undefined if it ends the step. */
export function updateProblem({ tasks }: RunState, { step: id, status }: JsonObject): string | undefined {
  const step = typeof id === 'string' ? tasks.get(id) : undefined;
  if (step === undefined || !isStep(step.task)) return `there is no step ${stringifyJson(id ?? null)}`;
  if (status !== 'completed' && status !== 'failed') return 'a "status" is "completed" or "failed"';
  if (hasEnded(step.status)) return `${step.task.id} has ended (${step.status}) and stays as it is`;
  return step.links.open > 0 ? `${step.task.id} has tasks, and ends when they have` : undefined;
}

interface Updates {
  /** The steps that this decision ends. */
  readonly ended: ReadonlySet<string>;
  /** The actions without the updates that change nothing. */
  readonly actions: readonly Action[];
  /** What is wrong with the first update that changes nothing. */
  readonly problem: string | undefined;
}

const NO_UPDATES = { ended: new Set<string>(), problem: undefined };

/**
 * If a decision both ends a step and adds tasks to it or changes it, the tasks win. The step then ends when
 * its tasks have ended.
 */
export function readUpdates(decided: readonly Action[], wanted: readonly string[], state: RunState): Updates {
  if (!decided.some(({ operation }) => operation === UPDATE)) return { ...NO_UPDATES, actions: decided };
  const ended = new Set<string>();
  const idle = new Map<Action, string>();
  for (const action of decided) {
    if (action.operation !== UPDATE) continue;
    const { step } = action.args;
    const problem = updateProblem(state, action.args);
    if (problem !== undefined) idle.set(action, problem);
    else if (isWorkedOn(String(step), { decided, wanted, state }))
      idle.set(action, `${String(step)} gets tasks or is changed, and ends when its tasks have`);
    else ended.add(String(step));
  }
  const [first] = idle.values();
  return {
    ended,
    actions: decided.filter((action) => !idle.has(action)),
    problem: first === undefined ? undefined : `${UPDATE}: ${first}`,
  };
}

interface StepWords {
  readonly decided: readonly Action[];
  readonly wanted: readonly string[];
  readonly state: RunState;
}

function isWorkedOn(step: string, { decided, wanted, state: { refused } }: StepWords): boolean {
  const isOnlyOne = wanted.length === 1 && wanted[0] === step;
  const corrected = decided.some(({ operation }) => operation === 'plan.revise') ? refused : undefined;
  if (corrected?.tasks.some(({ id }) => id === step) === true) return true;
  return decided.some((action) => {
    const { operation, args } = action;
    if (!OWN_OPERATIONS.has(operation))
      return action.step === step || (isOnlyOne && action.step === undefined);
    if (operation === 'plan.propose') return isOnlyOne || mentions(args.tasks, 'step', step);
    if (operation !== 'plan.revise') return false;
    const { replace, remove, add } = args;
    return (
      mentions(replace, 'id', step) ||
      mentions(replace, 'step', step) ||
      mentions(add, 'step', step) ||
      (Array.isArray(remove) && remove.includes(step))
    );
  });
}

function mentions(list: unknown, name: 'id' | 'step', value: string): boolean {
  return Array.isArray(list) && list.some((one) => (one as Partial<Action> | null)?.[name] === value);
}
