import type { Node } from '@xyflow/react';
import type { RunState } from '#core/state.ts';
import { type Face, faceOf, isSameFace } from './face.ts';
import type { Place } from './layout.ts';
import type { LaidOut } from './use-layout.ts';

export type TaskNode = Node<{ readonly face: Face; readonly isActive: boolean }, 'task' | 'frame'>;
export type GateNode = Node<Record<string, never>, 'gate'>;

interface Drawn {
  readonly selected: string | undefined;
  /** Where the keyboard stands. */
  readonly active: string | undefined;
  readonly before: ReadonlyMap<string, TaskNode | GateNode>;
}

/** The nodes as the graph draws them. One that looks as before is the same object, so that it is not drawn again. */
export function nodesOf(
  { structure, layout }: LaidOut,
  state: RunState,
  { selected, active, before }: Drawn,
): (TaskNode | GateNode)[] {
  return structure.nodes.flatMap((node): (TaskNode | GateNode)[] => {
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
    // What is drawn in a step lies above it.
    const zIndex = node.isGroup ? -1 : 1;
    return [{ ...shape, type, zIndex, selected: isSelected, data: { face, isActive } }];
  });
}

/** With its size said, it is not measured before it is drawn. */
function shapeOf(id: string, { x, y, width, height }: Place) {
  return { id, position: { x, y }, width, height };
}

function isAt({ position, width, height }: Node, place: Place): boolean {
  return position.x === place.x && position.y === place.y && width === place.width && height === place.height;
}
