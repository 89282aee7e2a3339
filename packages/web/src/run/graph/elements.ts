import type { Node } from '@xyflow/react';
import { SUB_GOAL } from '#dandori/model/sub-goal.ts';
import { isStep, purposeOf, type Task } from '#dandori/model/task.ts';
import type { Effect } from '#dandori/model/tool.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { statusAtEnd } from '#dandori/views/report.ts';
import type { Status } from '../../texts/words.ts';
import type { Place } from './layout.ts';
import type { GraphEdge, GraphNode, Structure } from './structure.ts';
import type { LaidOut } from './use-layout.ts';

export type TaskNode = Node<{ readonly face: Face; readonly isActive: boolean }, 'task' | 'frame'>;
export type GateNode = Node<Record<string, never>, 'gate'>;

interface Drawn {
  readonly selected: string | undefined;
  /** The task that the keyboard is on. */
  readonly active: string | undefined;
  readonly before: ReadonlyMap<string, TaskNode | GateNode>;
}

/** The nodes of the graph. A node that looks as before is the same object, so React does not render it again. */
export function nodesOf(
  { structure, layout }: LaidOut,
  state: RunState,
  { selected, active, before }: Drawn,
): (TaskNode | GateNode)[] {
  const nodes = structure.nodes.flatMap((node): (TaskNode | GateNode)[] => {
    const place = layout.places.get(node.id);
    if (place === undefined) return [];
    const known = before.get(node.id);
    const shape = shapeOf(node.id, place);
    if (node.kind === 'gate')
      return [known && isAt(known, place) ? known : { ...shape, type: 'gate', data: {} }];
    const face = faceOf(node, state);
    if (face === undefined) return [];
    const type = node.isGroup ? 'frame' : 'task';
    const isActive = node.id === active;
    const isSelected = node.id === selected;
    const isSame =
      known?.type === type &&
      isAt(known, place) &&
      known.selected === isSelected &&
      known.data.isActive === isActive &&
      isSameFace(known.data.face, face);
    if (isSame) return [known];
    // The tasks of a step are drawn above its frame.
    const zIndex = node.isGroup ? -1 : 1;
    return [{ ...shape, type, zIndex, selected: isSelected, data: { face, isActive } }];
  });
  return isWhole(nodes, structure) ? nodes : withoutLooseGates(nodes, structure);
}

/** The edges with both ends drawn. A layout may have tasks that do not exist yet in the state that is shown. */
export function edgesBetween(nodes: readonly Pick<Node, 'id'>[], structure: Structure): readonly GraphEdge[] {
  if (isWhole(nodes, structure)) return structure.edges;
  const drawn = new Set(nodes.map(({ id }) => id));
  return structure.edges.filter(({ from, to }) => drawn.has(from) && drawn.has(to));
}

function isWhole(nodes: readonly unknown[], structure: Structure): boolean {
  return nodes.length === structure.nodes.length;
}

/** Drops gates without incoming or outgoing edges. */
function withoutLooseGates<N extends Node>(nodes: readonly N[], structure: Structure): N[] {
  const edges = edgesBetween(nodes, structure);
  const [left, reached] = [new Set(edges.map(({ from }) => from)), new Set(edges.map(({ to }) => to))];
  return nodes.filter(({ id, type }) => type !== 'gate' || (left.has(id) && reached.has(id)));
}

/** With an explicit size, React Flow does not measure the node. */
function shapeOf(id: string, { x, y, width, height }: Place) {
  return { id, position: { x, y }, width, height };
}

function isAt({ position, width, height }: Node, place: Place): boolean {
  return position.x === place.x && position.y === place.y && width === place.width && height === place.height;
}

/** What the graph shows of a task. */
export interface Face {
  readonly id: string;
  readonly title: string;
  /** Undefined for a step. */
  readonly operation: string | undefined;
  readonly status: Status;
  /** Undefined for a step, and for a task that was not compiled. */
  readonly effect: Effect | undefined;
  readonly attempts: number;
  /** Milliseconds of all ended attempts. */
  readonly ms: number | undefined;
  /** When the running attempt started. */
  readonly since: number | undefined;
  /** `proposed`: not approved yet. `gone`: replaced or removed. */
  readonly standing: 'proposed' | 'accepted' | 'gone';
  /** How many tasks of a step are done. */
  readonly done: number;
  readonly total: number;
}

export function faceOf({ id, written, effect, isRemoved }: GraphNode, state: RunState): Face | undefined {
  const of = state.tasks.get(id);
  const task = of?.task ?? written;
  if (task === undefined) return undefined;
  const children = (of?.children ?? []).flatMap((child) => state.tasks.get(child) ?? []);
  const counted = children.filter(({ isSuperseded }) => !isSuperseded);
  return {
    id,
    title: isStep(task) ? purposeOf(task) : (task.description ?? goalOf(task) ?? id),
    operation: isStep(task) ? undefined : task.operation,
    status: of === undefined ? 'pending' : statusAtEnd(of, state),
    effect: isStep(task) ? undefined : (of?.effect ?? effect),
    attempts: of?.attempts ?? 0,
    ms: of?.ms,
    since: of?.status === 'running' ? of.startedAt : undefined,
    standing: isRemoved || of?.isSuperseded === true ? 'gone' : of === undefined ? 'proposed' : 'accepted',
    done: counted.filter(({ status }) => status === 'succeeded').length,
    total: counted.length,
  };
}

/** What a sub-goal is for. */
function goalOf({ operation, args }: Task): string | undefined {
  return operation === SUB_GOAL && typeof args.goal === 'string' ? args.goal : undefined;
}

function isSameFace(one: Face, other: Face): boolean {
  return (Object.keys(one) as (keyof Face)[]).every((key) => one[key] === other[key]);
}
