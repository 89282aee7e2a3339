import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js';
import type { GraphNode, Structure } from './structure.ts';

export type Flow = 'right' | 'down';

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The place of everything, in coordinates of the whole sheet. */
export interface Layout {
  readonly flow: Flow;
  readonly places: ReadonlyMap<string, Place>;
  /** The points of each edge. */
  readonly routes: ReadonlyMap<string, readonly Point[]>;
}

export const TASK_SIZE = { width: 208, height: 58 };
export const GATE_SIZE = { width: 12, height: 12 };
/** With more nodes the careful options take seconds. */
const MANY = 200;

const COMMON: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.spacing.nodeNode': '18',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.componentComponent': '28',
  'elk.layered.spacing.nodeNodeBetweenLayers': '48',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
};

const CAREFUL: LayoutOptions = {
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
};

const QUICK: LayoutOptions = {
  'elk.edgeRouting': 'POLYLINE',
  'elk.layered.thoroughness': '1',
  'elk.layered.layering.strategy': 'LONGEST_PATH_SOURCE',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.crossingMinimization.greedySwitch.type': 'OFF',
  'elk.layered.nodePlacement.strategy': 'SIMPLE',
};

const INSIDE: LayoutOptions = { 'elk.padding': '[top=40,left=14,bottom=14,right=14]' };

export function layoutInput({ nodes, edges }: Structure, flow: Flow): ElkNode {
  const inside = Map.groupBy(nodes, ({ parent }) => parent);
  const elkNode = ({ id, kind, isGroup }: GraphNode): ElkNode =>
    isGroup
      ? { id, layoutOptions: INSIDE, children: (inside.get(id) ?? []).map(elkNode) }
      : { id, ...(kind === 'gate' ? GATE_SIZE : TASK_SIZE) };
  return {
    id: 'sheet',
    layoutOptions: {
      ...COMMON,
      ...(nodes.length > MANY ? QUICK : CAREFUL),
      'elk.direction': flow === 'right' ? 'RIGHT' : 'DOWN',
    },
    children: (inside.get(undefined) ?? []).map(elkNode),
    edges: edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

/** The layout from ELK's output. */
export function layoutFrom(laidOut: ElkNode, flow: Flow): Layout {
  const places = new Map<string, Place>();
  const routes = new Map<string, readonly Point[]>();
  const visit = ({ children = [], edges = [] }: ElkNode) => {
    for (const edge of edges) routes.set(edge.id, routeOf(edge));
    for (const child of children) {
      const { x = 0, y = 0, width = 0, height = 0 } = child;
      places.set(child.id, { x, y, width, height });
      visit(child);
    }
  };
  visit(laidOut);
  return { flow, places, routes };
}

function routeOf({ sections = [] }: ElkExtendedEdge): Point[] {
  return sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
    startPoint,
    ...bendPoints,
    endPoint,
  ]);
}

/** The box around everything. */
export function boundsOf({ places }: Layout): Place {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of places.values()) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  if (left > right) return { x: 0, y: 0, width: 1, height: 1 };
  return { x: left, y: top, width: right - left, height: bottom - top };
}
