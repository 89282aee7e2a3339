import type { CheckedTask, FactOf } from '../../model/event.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Outline } from '../../model/plan.ts';
import type { Question } from '../../model/question.ts';
import { isStep, type Task, task as taskShape } from '../../model/task.ts';
import { laneOf } from '../../model/tool.ts';
import { textsOf } from '../../views/texts/run.ts';
import { updateProblem } from '../actions/step-update.ts';
import {
  type Draft,
  type Gate,
  hasEnded,
  type OpenQuestion,
  type RunState,
  type TaskState,
} from './state.ts';
import { complete, hasAllItNeeds, hasTasks, makeReady, moveTo, settleStep } from './task-moves.ts';

/** How `apply` folds what is planned. */
export function planProposed(
  state: RunState,
  { version, by, tasks, outline, removes }: FactOf<'plan_proposed'>['data'],
): RunState {
  return draftMade(state, { version, by, tasks, outline, removes });
}

export function planRevised(
  state: RunState,
  { version, by, tasks, removes, outline, ...revision }: FactOf<'plan_revised'>['data'],
): RunState {
  return draftMade(state, { version, by, tasks, removes, outline, revision });
}

function draftMade(state: RunState, draft: Draft): RunState {
  const { draft: before } = state;
  const isEdited = draft.by === 'user' && before?.question !== undefined && before.version === draft.version;
  state.draft = isEdited ? { ...draft, question: before.question } : draft;
  if (draft.by === 'user' && draft.revision === undefined && state.planGiven) state.given = draft.tasks;
  const decision = state.decisions.at(-1);
  const isFromMind = draft.by !== 'user' || (isEdited && before.revision?.replaces === undefined);
  if (decision === undefined || !isFromMind) return state;
  decision.proposed = draft.tasks;
  if (isEdited) decision.isEdited = true;
  return state;
}

export function planRejected(
  state: RunState,
  { diagnostics, reason, repeats }: FactOf<'plan_rejected'>['data'],
  at: number,
): RunState {
  const replaced = state.tasks.get(state.draft?.revision?.replaces ?? '');
  if (replaced !== undefined) return notReplaced(state, replaced, { diagnostics, reason, at });
  const decision = state.decisions.at(-1);
  if (decision !== undefined) {
    decision.diagnostics = diagnostics;
    decision.veto = reason;
    decision.repeats = repeats;
  }
  state.rejection = diagnostics;
  // Nobody is asked to mend a person's plan.
  if (state.planGiven) state.stumbles = state.settings.repairs;
  state.refused = state.draft && { ...state.draft, question: undefined, veto: reason };
  if (reason !== undefined) state.vetoed = state.draft?.tasks ?? [];
  state.draft = undefined;
  // A plan that only repeats is no mistake in writing it.
  if (repeats === undefined) state.stumbles++;
  return state;
}

/** What a person chose cannot be done: that is no matter of the mind's plan, and ends nothing but the task. */
function notReplaced(
  state: RunState,
  task: TaskState,
  { diagnostics, reason, at }: Omit<FactOf<'plan_rejected'>['data'], 'version'> & { readonly at: number },
): RunState {
  const problems = diagnostics.map(({ task: id, message }) =>
    id === undefined ? message : `${id}: ${message}`,
  );
  state.draft = undefined;
  state.replacing.delete(task.task.id);
  task.replacement = undefined;
  const texts = textsOf(state);
  task.failure =
    reason === undefined
      ? { kind: 'plan_error', message: texts.notReplaced(task.task.operation, problems.join('; ')) }
      : { kind: 'rejected', message: texts.withReason(texts.planNotApproved, reason) };
  task.endedAt = at;
  complete(state, task, 'failed');
  return state;
}

export function planApproved(
  state: RunState,
  { version, tasks, groups = [], accesses = [], estimate, question }: FactOf<'plan_approved'>['data'],
  at: number,
): RunState {
  const { draft } = state;
  const written = new Map(draft?.tasks.map((task) => [task.id, task]));
  state.draft = undefined;
  state.refused = undefined;
  state.vetoed = [];
  if (draft?.outline !== undefined) state.outline = merged(state.outline, draft.outline);
  const left = new Set(draft?.removes?.map((id) => state.tasks.get(id)?.task.step));
  for (const id of draft?.removes ?? []) forget(state, id);
  if (draft?.revision !== undefined) {
    const { reason, changes, supersedes = [] } = draft.revision;
    state.revisions.push({ version, by: draft.by, reason, changes, at });
    for (const id of supersedes) supersede(state, id);
  }
  state.planVersion = version;
  const coveredBy = hasApproved(state, question, version) ? question : undefined;
  const replaced = state.tasks.get(draft?.revision?.replaces ?? '');
  if (replaced !== undefined) {
    // All else stays as it was planned.
    state.accesses = [...state.accesses, ...accesses];
    state.replacing.delete(replaced.task.id);
    replaced.replacement = undefined;
    replaced.isReplaced = true;
  } else {
    state.estimate = estimate;
    state.accesses = accesses;
    state.stumbles = 0;
    state.steps++;
  }
  const gates = groups.map((members): Gate => ({ members, closed: 0, dependents: [] }));
  const added = tasks.flatMap((checked) => {
    const task = written.get(checked.id);
    // What is begun keeps its attempts, whatever a plan says: they are all that is known of its effect.
    const isTaken = state.tasks.has(checked.id);
    return task === undefined || isTaken ? [] : [addTask(state, task, { ...checked, gates, coveredBy })];
  });
  // A task may be written before its step.
  for (const { task } of added) if (task.step !== undefined) join(state, task.step, task.id);
  for (const id of draft?.revision?.supersedes ?? []) left.add(state.tasks.get(id)?.task.step);
  for (const id of left) goOnWithout(state, id);
  for (const gate of gates) closeGate(state, gate);
  for (const task of added) connect(state, task);
  return state;
}

function hasApproved({ questions }: RunState, id: string | undefined, version: number): boolean {
  const asked = id === undefined ? undefined : questions.get(id);
  const kind = asked?.question.plan === version ? planWord(asked)?.kind : undefined;
  return kind === 'approved' || kind === 'edited';
}

/** What a later plan does not say anew still holds: success criteria are not shed by planning again. */
function merged(before: Outline | undefined, { successCriteria = [], ...outline }: Outline): Outline {
  const criteria = successCriteria.length > 0 ? successCriteria : before?.successCriteria;
  return { ...before, ...outline, ...(criteria !== undefined && { successCriteria: criteria }) };
}

/** It was never begun, and a new one stands for it or nothing does. */
function forget(state: RunState, id: string): void {
  const task = state.tasks.get(id);
  if (task === undefined || task.attempts > 0 || task.status === 'succeeded') return;
  moveTo(state, task, 'blocked');
  state.tasks.delete(id);
  for (const earlier of [...task.needs, ...task.waits]) without(state.tasks.get(earlier)?.dependents, id);
  for (const gate of task.gates) without(gate.dependents, id);
  if (isStep(task.task)) state.stepCount--;
  without(state.tasks.get(task.task.step ?? '')?.children, id);
}

function without(list: string[] | undefined, id: string): void {
  const index = list?.indexOf(id) ?? -1;
  if (index >= 0) list?.splice(index, 1);
}

/** With a step all of it that failed is no matter any more. */
function supersede(state: RunState, id: string): void {
  const task = state.tasks.get(id);
  if (task === undefined || task.isSuperseded || task.status === 'succeeded') return;
  task.isSuperseded = true;
  for (const child of task.children) supersede(state, child);
}

/** A step that waited for what is gone now, or failed by it, ends without it, and so does the step that it is in. */
function goOnWithout(state: RunState, id: string | undefined): void {
  let step = state.tasks.get(id ?? '');
  while (step?.status === 'failed' || step?.status === 'expanding') {
    step.open = openTasks(state, step);
    if (step.open > 0) return;
    const before = step.status;
    moveTo(state, step, settleStep(state, step));
    // The step around it has ended by it already.
    if (step.status === before) return;
    step = state.tasks.get(step.task.step ?? '');
  }
}

function openTasks({ tasks }: RunState, { children }: TaskState): number {
  return children.filter((id) => !hasEnded(tasks.get(id)?.status ?? 'pending')).length;
}

function closeGate(state: RunState, gate: Gate): void {
  for (const id of gate.members) {
    const member = state.tasks.get(id);
    if (member === undefined || hasEnded(member.status)) continue;
    member.opens.push(gate);
    gate.closed++;
  }
}

interface Accepted extends CheckedTask {
  readonly gates: readonly Gate[];
  readonly coveredBy: string | undefined;
}

function addTask(state: RunState, task: Task, checked: Accepted): TaskState {
  const { effect, needs = [], waits = [], waitsForGroups = [], rank = 0, cost = 0, coveredBy } = checked;
  const added: TaskState = {
    task,
    effect,
    needs,
    waits: [...waits],
    gates: waitsForGroups.flatMap((position) => checked.gates[position] ?? []),
    opens: [],
    unmet: 0,
    lane: laneOf(task.operation, state.settings.servers),
    rank,
    cost,
    order: state.written++,
    dependents: [],
    status: 'pending',
    queued: undefined,
    attempts: 0,
    crashes: 0,
    crashesInVain: 0,
    innerCalls: undefined,
    key: undefined,
    probed: undefined,
    mayHaveTouched: false,
    asking: undefined,
    rounds: 0,
    isInDoubt: false,
    doubt: undefined,
    override: undefined,
    sent: undefined,
    approved: undefined,
    coveredBy,
    result: undefined,
    note: undefined,
    failure: undefined,
    startedAt: undefined,
    ms: undefined,
    endedAt: undefined,
    dueAt: undefined,
    children: [],
    open: 0,
    isSuperseded: false,
    replacement: undefined,
    isReplaced: false,
    isUnstopped: false,
  };
  state.tasks.set(task.id, added);
  if (isStep(task)) state.stepCount++;
  return added;
}

/** A step is open as long as one of its tasks is, and is opened again by a new one, and so is the step that it is in. */
function join(state: RunState, id: string, child: string): void {
  let step = stepToJoin(state, id);
  step?.children.push(child);
  while (step !== undefined) {
    const wasEnded = hasEnded(step.status);
    step.open = openTasks(state, step);
    if (step.status !== 'pending') moveTo(state, step, 'expanding');
    step = wasEnded ? stepToJoin(state, step.task.step) : undefined;
  }
}

/** One that has succeeded keeps its result. */
function stepToJoin({ tasks }: RunState, id: string | undefined): TaskState | undefined {
  const step = tasks.get(id ?? '');
  return step !== undefined && hasTasks(step) && step.status !== 'succeeded' ? step : undefined;
}

function connect(state: RunState, added: TaskState): void {
  // A step whose tasks all turned out to be blocked has ended with them.
  if (hasEnded(added.status)) return;
  for (const id of [...added.needs, ...added.waits]) {
    const earlier = state.tasks.get(id);
    if (earlier === undefined || hasEnded(earlier.status)) continue;
    earlier.dependents.push(added.task.id);
    added.unmet++;
  }
  for (const gate of added.gates) {
    if (gate.closed === 0) continue;
    gate.dependents.push(added.task.id);
    added.unmet++;
  }
  if (added.unmet > 0) return;
  if (hasAllItNeeds(state, added)) makeReady(state, added);
  else complete(state, added, 'blocked');
}

/** The mind says how a step stands: done without tasks, or not to be done. One that has ended stays as it is. */
export function updateStep(state: RunState, update: JsonObject): void {
  const { step: id, status, note } = update;
  const step = state.tasks.get(String(id));
  if (step === undefined || updateProblem(state, update) !== undefined) return;
  const said = typeof note === 'string' ? note : undefined;
  if (status === 'completed') {
    step.result = { value: said ?? null };
    complete(state, step, 'succeeded');
  } else {
    step.failure = { kind: 'not_possible', message: said ?? 'The mind gave this step up.' };
    complete(state, step, 'failed');
  }
}

/** What a person has said to a plan that they were asked about. */
export type PlanWord =
  | { readonly kind: 'approved'; readonly question: Question }
  | { readonly kind: 'edited'; readonly question: Question; readonly tasks: readonly Task[] }
  /** The reason is empty where none was given. */
  | { readonly kind: 'rejected'; readonly question: Question; readonly reason: string };

/** Whether a person is asked about the proposed plan and has not answered. */
export function isPlanAsked({ draft, questions }: RunState): boolean {
  const asked = questions.get(draft?.question ?? '');
  return asked !== undefined && asked.answer === undefined;
}

/** The word on the proposed plan; undefined where nobody was asked or has answered. */
export function wordOnDraft({ draft, questions }: RunState): PlanWord | undefined {
  const asked = questions.get(draft?.question ?? '');
  return asked === undefined ? undefined : planWord(asked);
}

export function planWord({ question, answer }: OpenQuestion): PlanWord | undefined {
  if (question.kind !== 'plan_approval' || answer === undefined) return undefined;
  if (answer.declined !== true && answer.value === 'approve') return { kind: 'approved', question };
  const tasks = answer.declined === true ? undefined : editedTasks(answer.value);
  if (tasks !== undefined) return { kind: 'edited', question, tasks };
  return { kind: 'rejected', question, reason: answer.comment ?? '' };
}

/** The tasks of an answer that is a plan in place of the one that was asked about; undefined where it is none. */
export function editedTasks(answer: Json): readonly Task[] | undefined {
  if (!isObject(answer)) return undefined;
  const read = taskShape.array().safeParse(answer.tasks);
  return read.success ? read.data : undefined;
}
