import { type Flow, GATE_SIZE, type Layout, type Place, type Point, TASK_SIZE } from './layout.ts';
import { ancestorsOf, type GraphNode, type Structure } from './structure.ts';

/** Gaps between levels, and between tasks of a level. */
const BETWEEN = 64;
const BESIDE = 18;
/** Padding of a step, and the height of its title. */
const MARGIN = 14;
const TITLE = 40;

interface Sheet {
  readonly width: number;
  readonly height: number;
  /** Relative to the corner of this sheet. */
  readonly places: ReadonlyMap<string, Place>;
}

type Links = ReadonlyMap<string, readonly string[]>;

/** A quick layout until ELK's is ready: each task is one level below its latest dependency. */
export function layoutByLevels(structure: Structure, flow: Flow): Layout {
  const inside = Map.groupBy(structure.nodes, ({ parent }) => parent);
  const links = linksOf(structure);
  const arrange = (members: readonly GraphNode[]): Sheet => {
    const sheets = new Map(
      members.map((node) => [
        node.id,
        node.isGroup ? framed(arrange(inside.get(node.id) ?? [])) : sizeOf(node),
      ]),
    );
    return placed(levelsOf(members, links), sheets, flow);
  };
  const { places } = arrange(inside.get(undefined) ?? []);
  const routes = new Map(
    structure.edges.map(({ id, from, to }) => [id, straight(places.get(from), places.get(to), flow)]),
  );
  return { flow, places, routes };
}

/** Edges between siblings: an edge between tasks of different steps counts for the steps. */
function linksOf({ nodes, edges }: Structure): Links {
  const parents = new Map(nodes.flatMap(({ id, parent }) => (parent === undefined ? [] : [[id, parent]])));
  const links = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const [above, below] = [
      [from, ...ancestorsOf(from, parents)],
      [to, ...ancestorsOf(to, parents)],
    ];
    const shared = above.find((one) => below.includes(one));
    const [one, other] = [above, below].map(
      (line) => line[shared === undefined ? line.length - 1 : line.indexOf(shared) - 1],
    );
    if (one === undefined || other === undefined || one === other) continue;
    const known = links.get(one);
    if (known === undefined) links.set(one, [other]);
    else known.push(other);
  }
  return links;
}

/** Levels by the longest path. Tasks of a cycle come last. */
function levelsOf(members: readonly GraphNode[], links: Links): string[][] {
  const waiting = new Map(members.map(({ id }) => [id, 0]));
  for (const { id } of members)
    for (const next of links.get(id) ?? []) waiting.set(next, (waiting.get(next) ?? 0) + 1);
  const levels: string[][] = [];
  let level = members.flatMap(({ id }) => (waiting.get(id) === 0 ? [id] : []));
  while (level.length > 0) {
    levels.push(level);
    const next: string[] = [];
    // Tasks follow the order of what they wait for, so that few edges cross.
    for (const id of level) {
      waiting.delete(id);
      for (const behind of links.get(id) ?? []) {
        const left = (waiting.get(behind) ?? 0) - 1;
        waiting.set(behind, left);
        if (left === 0) next.push(behind);
      }
    }
    level = next;
  }
  const circle = members.flatMap(({ id }) => (waiting.has(id) ? [id] : []));
  return circle.length > 0 ? [...levels, circle] : levels;
}

function placed(
  levels: readonly (readonly string[])[],
  sheets: ReadonlyMap<string, Sheet>,
  flow: Flow,
): Sheet {
  const places = new Map<string, Place>();
  let [along, across] = [0, 0];
  for (const level of levels) {
    let [deep, offset] = [0, 0];
    for (const id of level) {
      const { width = 0, height = 0, places: within = new Map<string, Place>() } = sheets.get(id) ?? {};
      const [x, y] = flow === 'right' ? [along, offset] : [offset, along];
      places.set(id, { x, y, width, height });
      for (const [inner, place] of within) places.set(inner, { ...place, x: place.x + x, y: place.y + y });
      deep = Math.max(deep, flow === 'right' ? width : height);
      offset += (flow === 'right' ? height : width) + BESIDE;
    }
    along += deep + BETWEEN;
    across = Math.max(across, offset - BESIDE);
  }
  const length = Math.max(0, along - BETWEEN);
  return {
    places,
    ...(flow === 'right' ? { width: length, height: across } : { width: across, height: length }),
  };
}

function framed({ width, height, places }: Sheet): Sheet {
  const moved = [...places].map(
    ([id, place]) => [id, { ...place, x: place.x + MARGIN, y: place.y + TITLE }] as const,
  );
  return { width: width + 2 * MARGIN, height: height + TITLE + MARGIN, places: new Map(moved) };
}

function sizeOf({ kind }: GraphNode): Sheet {
  return { ...(kind === 'gate' ? GATE_SIZE : TASK_SIZE), places: new Map() };
}

function straight(from: Place | undefined, to: Place | undefined, flow: Flow): Point[] {
  if (from === undefined || to === undefined) return [];
  return flow === 'right'
    ? [
        { x: from.x + from.width, y: from.y + from.height / 2 },
        { x: to.x, y: to.y + to.height / 2 },
      ]
    : [
        { x: from.x + from.width / 2, y: from.y + from.height },
        { x: to.x + to.width / 2, y: to.y },
      ];
}
