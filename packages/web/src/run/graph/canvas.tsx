import { Background, ReactFlow, useReactFlow, type XYPosition } from '@xyflow/react';
import { useMemo, useRef, useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { useIsNarrow } from '../narrow.ts';
import type { ViewProps } from '../view.ts';
import { ZoomButtons } from '../zoom-buttons.tsx';
import { Announced } from './announced.tsx';
import { edgesBetween, type GateNode as Gate, nodesOf, type TaskNode as Shown } from './elements.ts';
import { FrameNode } from './frame-node.tsx';
import { GateNode } from './gate-node.tsx';
import { Picture } from './picture.tsx';
import { Routes } from './routes.tsx';
import { SmallMap } from './small-map.tsx';
import { nodeId, TaskNode } from './task-node.tsx';
import { texts } from './texts.ts';
import { useKeys } from './use-keys.ts';
import type { LaidOut } from './use-layout.ts';
import { LARGE, useIsOverview } from './use-sight.ts';
import { SMALLEST_EVER, useView } from './use-view.ts';
import { waysOf } from './ways.ts';

/** What is smaller is seen at a glance. */
const MAPPED = 40;

const NONE: never[] = [];
const NODES = { task: TaskNode, frame: FrameNode, gate: GateNode };

/** The sheet on which the plan is drawn. It is moved and looked at; nothing on it can be moved. */
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
  const ways = useWays(laidOut, nodes);
  const isLarge = nodes.length > LARGE;
  const isOverview = useIsOverview(isLarge);
  const taskAt = (point: XYPosition) => {
    const { x, y } = flow.screenToFlowPosition(point);
    return nodes.findLast((node) => node.type !== 'gate' && isIn(node, x, y))?.id;
  };
  const onKeyDown = useKeys({ laidOut, active: active ?? selected, setActive, select, flow, view });
  return (
    <div className="absolute inset-0">
      {/* It is a widget of its own, in which the arrow keys move. */}
      <ReactFlow
        aria-label={say.graph}
        aria-describedby="graph-keys"
        aria-activedescendant={active === undefined ? undefined : nodeId(active)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setActive(undefined)}
        // What moves by itself has the browser draw the whole sheet without a pause.
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
        {isLarge ? (
          <Picture ways={ways} nodes={nodes} isOverview={isOverview} marked={active ?? selected} />
        ) : (
          <>
            <Background gap={24} color="var(--line)" />
            <Routes ways={ways} marked={active ?? selected} />
          </>
        )}
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

/** The same as long as the same tasks are drawn at the same places. */
function useWays({ structure, layout }: LaidOut, nodes: readonly (Shown | Gate)[]) {
  const edges = edgesBetween(nodes, structure);
  const key = edges === structure.edges ? '' : edges.map(({ id }) => id).join(' ');
  return useMemo(() => waysOf(edges, layout), [structure, layout, key]);
}

function isIn({ position, width = 0, height = 0 }: Shown | Gate, x: number, y: number): boolean {
  return x >= position.x && x <= position.x + width && y >= position.y && y <= position.y + height;
}
