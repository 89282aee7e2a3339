import type { Event } from '#dandori/model/event.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { type PlanAbout, planAbout } from '#dandori/model/question.ts';
import { isStep, type Task } from '#dandori/model/task.ts';
import type { Effect } from '#dandori/model/tool.ts';
import { refsIn } from '#dandori/plan/fill-refs.ts';
import type { Gate, RunState, TaskState } from '#dandori/run/state/state.ts';
import { openQuestions } from '#dandori/views/report.ts';

/** Why a task waits: it uses a result, it was told to with `after`, or both use the same resource. */
export type EdgeKind = 'data' | 'after' | 'hazard';

export interface GraphNode {
  readonly id: string;
  /** A `gate` stands for a group that many tasks wait for: n + m edges instead of n × m. */
  readonly kind: 'task' | 'step' | 'gate';
  /** The step or replaced task that contains it. */
  readonly parent: string | undefined;
  /** Whether it contains others. */
  readonly isGroup: boolean;
  /** The task of a plan that is not approved yet or was replaced; undefined if the state has the task. */
  readonly written: Task | undefined;
  /** Only for a task that waits for approval; the state has it for the others. */
  readonly effect: Effect | undefined;
  readonly isRemoved: boolean;
}

export interface GraphEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
}

/** The input of the layout. It changes only with the plan. */
export interface Structure {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

interface Shown {
  /** Tasks that a revision removed before they started. */
  readonly removed: readonly Task[];
  /** Whether replaced tasks are shown. */
  readonly superseded: boolean;
}

export function structureOf(state: RunState, { removed, superseded }: Shown): Structure {
  const { tasks, draft } = state;
  const asked = askedTasks(state);
  const standing = [...tasks.values()].filter(({ isSuperseded }) => superseded || !isSuperseded);
  const known = new Set(standing.map(({ task }) => task.id));
  const proposed = (draft?.tasks ?? []).filter(({ id }) => !known.has(id));
  for (const { id } of proposed) known.add(id);
  const gone = new Set(removed.filter(({ id }) => !known.has(id)));
  for (const { id } of gone) known.add(id);
  const written = [...proposed, ...gone];
  const all = [...standing.map(({ task }) => task), ...written];
  const parents = parentsOf(all, known);
  const groups = new Set(parents.values());
  const nodeOf = (task: Task, isAccepted: boolean): GraphNode => ({
    id: task.id,
    kind: isStep(task) ? 'step' : 'task',
    parent: parents.get(task.id),
    isGroup: groups.has(task.id),
    written: isAccepted ? undefined : task,
    effect: isAccepted ? undefined : asked.get(task.id)?.effect,
    isRemoved: gone.has(task),
  });
  const drawing = createDrawing(known, parents);
  for (const one of standing) drawNeeds(one, tasks, drawing);
  for (const task of written) drawWritten(task, waitsFor(task.id, asked, parents), drawing);
  const gates = drawGates(standing, parents, drawing);
  return {
    nodes: [
      ...standing.map(({ task }) => nodeOf(task, true)),
      ...written.map((task) => nodeOf(task, false)),
      ...gates,
    ],
    edges: drawing.edges,
  };
}

/** Equal for structures with the same layout. */
export function digestOf({ nodes, edges }: Structure): string {
  const named = nodes.map(({ id, parent, written, effect, isRemoved }) => [
    id,
    parent,
    written !== undefined,
    effect,
    isRemoved,
  ]);
  return stringifyJson([named, edges.map(({ id, kind }) => [id, kind])]);
}

/** The step of each task, without cycles. */
function parentsOf(tasks: readonly Task[], known: ReadonlySet<string>): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { id, step } of tasks) {
    if (step === undefined || !known.has(step)) continue;
    const isCircle = step === id || ancestorsOf(step, parents).includes(id);
    if (!isCircle) parents.set(id, step);
  }
  return parents;
}

export function ancestorsOf(id: string, parents: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (let one = parents.get(id); one !== undefined; one = parents.get(one)) found.push(one);
  return found;
}

interface Drawing {
  readonly edges: GraphEdge[];
  draw(from: string, to: string, kind: EdgeKind): void;
}

function createDrawing(known: ReadonlySet<string>, parents: ReadonlyMap<string, string>): Drawing {
  const edges: GraphEdge[] = [];
  const drawn = new Set<string>();
  const isInside = (one: string, other: string) => ancestorsOf(one, parents).includes(other);
  return {
    edges,
    draw(from, to, kind) {
      const id = `${from}>${to}`;
      const isPossible = known.has(from) && known.has(to) && from !== to;
      if (!isPossible || drawn.has(id) || isInside(from, to) || isInside(to, from)) return;
      drawn.add(id);
      edges.push({ id, from, to, kind });
    },
  };
}

function drawNeeds(
  { task, needs, waits }: TaskState,
  tasks: RunState['tasks'],
  { draw }: Pick<Drawing, 'draw'>,
): void {
  for (const { ref } of refsIn(task.args)) draw(ref.task, task.id, 'data');
  const inherited = inheritedNeeds(task, tasks);
  for (const id of needs) if (!inherited.has(id)) draw(id, task.id, 'after');
  for (const id of waits) draw(id, task.id, 'hazard');
}

/** The tasks of a step need what the step needs. One edge to the step shows this. */
function inheritedNeeds({ id, step }: Task, tasks: RunState['tasks']): Set<string> {
  const found = new Set<string>();
  const seen = new Set([id]);
  for (let above = tasks.get(step ?? ''); above !== undefined; above = tasks.get(above.task.step ?? '')) {
    if (seen.has(above.task.id)) break;
    seen.add(above.task.id);
    for (const need of above.needs) found.add(need);
  }
  return found;
}

/** What the task itself waits for, without what its step waits for. */
function waitsFor(
  id: string,
  asked: ReadonlyMap<string, AskedTask>,
  parents: ReadonlyMap<string, string>,
): string[] {
  const inherited = ancestorsOf(id, parents).flatMap((above) => asked.get(above)?.waitsFor ?? []);
  return (asked.get(id)?.waitsFor ?? []).filter((earlier) => !inherited.includes(earlier));
}

function drawWritten(
  { id, args, after = [] }: Task,
  waits: readonly string[],
  { draw }: Pick<Drawing, 'draw'>,
): void {
  for (const { ref } of refsIn(args)) draw(ref.task, id, 'data');
  for (const earlier of after) draw(earlier, id, 'after');
  // The remaining dependencies come from shared resources.
  for (const earlier of waits) draw(earlier, id, 'hazard');
}

function drawGates(
  standing: readonly TaskState[],
  parents: ReadonlyMap<string, string>,
  { edges, draw }: Drawing,
): GraphNode[] {
  const dependents = new Map<Gate, string[]>();
  for (const { task, gates } of standing) {
    for (const gate of gates) {
      const known = dependents.get(gate);
      if (known === undefined) dependents.set(gate, [task.id]);
      else known.push(task.id);
    }
  }
  const shown = new Set(standing.map(({ task }) => task.id));
  const nodes: GraphNode[] = [];
  for (const [gate, later] of dependents) {
    const members = gate.members.filter((id) => shown.has(id));
    if (members.length * later.length <= members.length + later.length) {
      for (const from of members) for (const to of later) draw(from, to, 'hazard');
      continue;
    }
    // No task id has a colon.
    const id = `gate:${nodes.length + 1}`;
    const [place, ...others] = new Set([...members, ...later].map((one) => parents.get(one)));
    const parent = others.length === 0 ? place : undefined;
    nodes.push({
      id,
      kind: 'gate',
      parent,
      isGroup: false,
      written: undefined,
      effect: undefined,
      isRemoved: false,
    });
    for (const from of members) edges.push({ id: `${from}>${id}`, from, to: id, kind: 'hazard' });
    for (const to of later) edges.push({ id: `${id}>${to}`, from: id, to, kind: 'hazard' });
  }
  return nodes;
}

type AskedTask = PlanAbout['tasks'][number];

/** The compiled tasks of a plan that waits for approval. */
function askedTasks(state: RunState): ReadonlyMap<string, AskedTask> {
  const asked = openQuestions(state).find(({ kind }) => kind === 'plan_approval');
  const about = asked === undefined ? undefined : planAbout.safeParse(asked.context).data;
  return new Map((about?.tasks ?? []).map((task) => [task.id, task]));
}

/** Tasks of approved plans that a later plan removed before they started. */
export function removedTasks(events: readonly Event[]): Task[] {
  const standing = new Map<string, Task>();
  const gone = new Map<string, Task>();
  let draft:
    | { readonly tasks: readonly Task[]; readonly removes?: readonly string[] | undefined }
    | undefined;
  for (const { type, data } of events) {
    if (type === 'plan_proposed' || type === 'plan_revised') draft = data;
    else if (type === 'plan_rejected') draft = undefined;
    else if (type === 'plan_approved' && draft !== undefined) {
      for (const id of draft.removes ?? []) move(id, standing, gone);
      for (const task of draft.tasks) {
        standing.set(task.id, task);
        gone.delete(task.id);
      }
      draft = undefined;
    }
  }
  return [...gone.values()];
}

function move(id: string, from: Map<string, Task>, to: Map<string, Task>): void {
  const task = from.get(id);
  if (task === undefined) return;
  from.delete(id);
  to.set(id, task);
}
