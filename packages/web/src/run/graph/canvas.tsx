import {
  Background,
  getViewportForBounds,
  ReactFlow,
  useReactFlow,
  useStore,
  type XYPosition,
} from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/graph.ts';
import { words } from '../../texts/words.ts';
import { useIsNarrow } from '../../ui/measure.ts';
import { type ViewProps, ZoomButtons } from '../view.tsx';
import { Picture, SmallMap } from './canvas-layer.tsx';
import { edgePathsOf } from './edges.ts';
import { edgesBetween, faceOf, type GateNode as Gate, nodesOf, type TaskNode as Shown } from './elements.ts';
import { useKeys } from './keys.ts';
import { boundsOf } from './layout.ts';
import { FrameNode, GateNode, nodeId, TaskNode } from './nodes.tsx';
import type { LaidOut } from './use-layout.ts';

/** A smaller graph is seen at a glance and needs no map. */
const MAPPED = 40;
/** A large graph has no animations, and its tasks are painted sooner. */
const LARGE = 120;
/**
 * Below this zoom the text of a task is unreadable, so tasks are painted on the canvas instead of being DOM elements.
 */
const LEGIBLE = { small: 0.35, large: 0.45 };
/** How much closer the view must come before they are elements again. */
const HYSTERESIS = 0.05;

const NONE: never[] = [];
const NODES = { task: TaskNode, frame: FrameNode, gate: GateNode };

/** The canvas with the graph. The user can pan and zoom it, but can't move tasks. */
export function Canvas({
  laidOut,
  state,
  news,
  selected,
  select,
}: ViewProps & { readonly laidOut: LaidOut }) {
  const say = useTexts(texts);
  const flow = useReactFlow();
  const isNarrow = useIsNarrow();
  const [active, setActive] = useState<string>();
  const view = useView(laidOut);
  const nodes = useNodes({ laidOut, state, news, selected, active });
  const edges = useEdges(laidOut, nodes);
  const isLarge = nodes.length > LARGE;
  const isOverview = useIsOverview(isLarge);
  const taskAt = (point: XYPosition) => {
    const { x, y } = flow.screenToFlowPosition(point);
    return nodes.findLast((node) => node.type !== 'gate' && isIn(node, x, y))?.id;
  };
  const onKeyDown = useKeys({ laidOut, active: active ?? selected, setActive, select, flow, view });
  return (
    <div className="absolute inset-0">
      {/* A composite widget: the arrow keys move inside it. */}
      <ReactFlow
        aria-label={say.graph}
        aria-describedby="graph-keys"
        aria-activedescendant={active === undefined ? undefined : nodeId(active)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(undefined)}
        // An animated element makes the browser repaint the whole canvas all the time.
        className={`outline-offset-[-2px] ${isLarge ? '[&_.animate-pulse]:animate-none' : ''}`}
        nodes={isOverview ? NONE : nodes}
        nodeTypes={NODES}
        onNodeClick={(_, { id, type }) => type !== 'gate' && select(id)}
        onPaneClick={({ clientX, clientY }) =>
          select(isOverview ? taskAt({ x: clientX, y: clientY }) : undefined)
        }
        onMoveStart={(event) => event !== null && view.moved()}
        onInit={view.show}
        minZoom={SMALLEST_EVER}
        maxZoom={2}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: true }}
      >
        {!isLarge && <Background gap={24} color="var(--line)" />}
        <Picture edges={edges} nodes={nodes} isOverview={isOverview} marked={active ?? selected} />
      </ReactFlow>
      {!isNarrow && nodes.length > MAPPED && <SmallMap laidOut={laidOut} nodes={nodes} onMove={view.moved} />}
      <ZoomButtons
        onIn={() => void flow.zoomIn()}
        onOut={() => void flow.zoomOut()}
        onFit={view.fit}
        className="bottom-2 left-2 md:bottom-3 md:left-3"
        isUpright
      />
      <p id="graph-keys" className="sr-only">
        {say.keys}
      </p>
      <Announced laidOut={laidOut} state={state} id={active} />
    </div>
  );
}

function useNodes({
  laidOut,
  state,
  news,
  selected,
  active,
}: Pick<ViewProps, 'state' | 'news' | 'selected'> & {
  readonly laidOut: LaidOut;
  readonly active: string | undefined;
}) {
  const before = useRef<ReadonlyMap<string, Shown | Gate>>(new Map());
  // The state is changed in place; `news` says when.
  return useMemo(() => {
    const nodes = nodesOf(laidOut, state, { selected, active, before: before.current });
    before.current = new Map(nodes.map((node) => [node.id, node]));
    return nodes;
  }, [laidOut, state, news, selected, active]);
}

/** Whether the view is zoomed out so far that tasks are painted. */
function useIsOverview(isLarge: boolean): boolean {
  const was = useRef(false);
  const limit = (isLarge ? LEGIBLE.large : LEGIBLE.small) + (was.current ? HYSTERESIS : 0);
  const is = useStore(({ transform: [, , zoom] }) => zoom < limit);
  was.current = is;
  return is;
}

/** The same object as long as the same tasks are drawn at the same places. */
function useEdges({ structure, layout }: LaidOut, nodes: readonly (Shown | Gate)[]) {
  const edges = edgesBetween(nodes, structure);
  const key = edges === structure.edges ? '' : edges.map(({ id }) => id).join(' ');
  return useMemo(() => edgePathsOf(edges, layout), [structure, layout, key]);
}

function isIn({ position, width = 0, height = 0 }: Shown | Gate, x: number, y: number): boolean {
  return x >= position.x && x <= position.x + width && y >= position.y && y <= position.y + height;
}

interface Props {
  readonly laidOut: LaidOut;
  readonly state: RunState;
  readonly id: string | undefined;
}

/** Announces the task that the keyboard is on. */
function Announced({ laidOut: { structure }, state, id }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const node = structure.nodes.find((one) => one.id === id);
  const face = node && faceOf(node, state);
  const before = structure.edges.filter(({ to }) => to === id).length;
  const behind = structure.edges.filter(({ from }) => from === id).length;
  const said = face && [
    face.title,
    face.operation ?? say.step,
    word.statuses[face.status],
    ...(face.effect === undefined ? [] : [word.effects[face.effect]]),
    ...(face.attempts > 1 ? [word.attempt(face.attempts)] : []),
    say.before(before),
    say.behind(behind),
  ];
  return (
    <p role="status" className="sr-only">
      {said?.join(', ')}
    </p>
  );
}

/** The smallest zoom at which the whole graph is shown at first. A larger graph is shown from its start. */
const SMALLEST = 0.4;
const PADDING = 0.08;
/** The smallest zoom of all. */
const SMALLEST_EVER = 0.02;

export interface View {
  /** The user has moved the view: from now on it stays there. */
  moved(): void;
  fit(): void;
  show(): void;
}

/** Keeps the whole graph in view while it grows, until the user moves the view. */
function useView(laidOut: LaidOut): View {
  const flow = useReactFlow();
  const held = useRef<'whole' | 'moved'>(undefined);
  const lookAt = (maxZoom: number, smallest: number, duration: number) => {
    const { width = 0, height = 0 } = document.querySelector('.react-flow')?.getBoundingClientRect() ?? {};
    const bounds = boundsOf(laidOut.layout);
    const whole = getViewportForBounds(bounds, width, height, SMALLEST_EVER, maxZoom, PADDING);
    const viewport = whole.zoom >= smallest ? whole : { x: 24, y: 24, zoom: 0.7 };
    void flow.setViewport(viewport, { duration: calm(duration) });
  };
  const fit = () => {
    held.current = 'whole';
    lookAt(2, 0, 200);
  };
  const show = (duration = 0) => {
    if (held.current === 'whole') lookAt(2, 0, duration);
    else if (held.current === undefined) lookAt(1, SMALLEST, duration);
  };
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => latest.current(300), [laidOut]);
  return {
    moved() {
      held.current = 'moved';
    },
    fit,
    show: () => show(),
  };
}

function calm(duration: number): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : duration;
}
