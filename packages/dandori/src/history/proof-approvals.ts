import { callDigest } from '../driver/index.ts';
import type { Event } from '../model/event.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Intention } from '../run/intention.ts';
import type { Proving } from './proof.ts';
import { fill, isIntended } from './proof-intentions.ts';
import { same } from './proof-plan.ts';

export async function previewProblems(
  event: Event & { type: 'preview_started' },
  proving: Proving,
): Promise<string[]> {
  const { task: id, args } = event.data;
  const task = proving.state.tasks.get(id);
  if (task === undefined) return [`${id} is in no plan`];
  const filled = await fill(task, proving);
  if (typeof filled === 'string') return [`its arguments cannot be filled in: ${filled}`];
  return [
    ...(isToBeApproved(event, id, proving) ? [] : [`${id} should not have been asked about then`]),
    ...same('args', args, filled),
  ];
}

/** The journal can't prove that the standing approval existed, so it is accepted as evidence. */
export async function standingProblems(
  event: Event & { type: 'call_approved' },
  proving: Proving,
): Promise<string[]> {
  const { task: id, digest, question } = event.data;
  const { state } = proving;
  const task = state.tasks.get(id);
  if (task === undefined) return [`${id} is in no plan`];
  const { operation } = task.task;
  const isAllowed = state.allowed.some((one) => one.question === question && one.operation === operation);
  const filled = await fill(task, proving);
  if (typeof filled === 'string') return [`its arguments cannot be filled in: ${filled}`];
  return [
    ...(isToBeApproved(event, id, proving) ? [] : [`${id} should not have been asked about then`]),
    ...(question === undefined || isAllowed ? [] : [`${question} does not approve ${operation} for the run`]),
    ...digestProblems(digest, operation, { asked: undefined, filled }),
  ];
}

function isToBeApproved(event: Event, id: string, proving: Proving): boolean {
  const isIt = (one: Intention) =>
    (one.type === 'ask_approval' || one.type === 'start_task') && one.task === id;
  return isIntended(event, proving, isIt) !== undefined;
}

export async function questionProblems(
  event: Event & { type: 'question_asked' },
  proving: Proving,
): Promise<string[]> {
  const { kind, task: id, digest, context, subGoal } = event.data.question;
  // What a sub-goal asks is proved in its own journal.
  if (subGoal !== undefined) return [];
  const task = id === undefined ? undefined : proving.state.tasks.get(id);
  if (task === undefined) return [];
  if (kind === 'in_doubt') {
    const intended = isIntended(event, proving, (one) => one.type === 'settle' && one.task === id);
    return intended === undefined ? [`${id} is not in doubt`] : [];
  }
  if (kind !== 'approval') return [];
  const filled = await fill(task, proving);
  if (typeof filled === 'string') return [`its arguments cannot be filled in: ${filled}`];
  const asked = (context as JsonObject | undefined)?.args;
  return [
    ...(isToBeApproved(event, task.task.id, proving) ? [] : [`${id} should not have been asked about then`]),
    ...digestProblems(digest, task.task.operation, { asked, filled }),
    ...same('context.args', asked, filled),
  ];
}

/**
 * If joining texts produced a secret, the journaled question has a mark where the derived call has plain
 * text.
 */
function digestProblems(
  digest: string | undefined,
  operation: string,
  { asked, filled }: { asked: Json | undefined; filled: JsonObject },
): string[] {
  const isAsAsked = asked !== undefined && digest === callDigest(operation, asked as JsonObject);
  return isAsAsked ? [] : same('digest', digest, callDigest(operation, filled));
}
