import { Background, MiniMap, ReactFlow, useReactFlow } from '@xyflow/react';
import { useMemo, useRef, useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import type { Status } from '../../ui/texts.ts';
import { useIsNarrow } from '../narrow.ts';
import type { ViewProps } from '../view.ts';
import { ZoomButtons } from '../zoom-buttons.tsx';
import { Announced } from './announced.tsx';
import { type GateNode as Gate, nodesOf, type TaskNode as Shown } from './elements.ts';
import { FrameNode } from './frame-node.tsx';
import { GateNode } from './gate-node.tsx';
import { Routes } from './routes.tsx';
import { nodeId, TaskNode } from './task-node.tsx';
import { texts } from './texts.ts';
import { useKeys } from './use-keys.ts';
import type { LaidOut } from './use-layout.ts';
import { useView } from './use-view.ts';

/** What is smaller is seen at a glance. */
const MAPPED = 40;

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
        className="outline-offset-[-2px]"
        nodes={nodes}
        nodeTypes={NODES}
        onNodeClick={(_, { id, type }) => type !== 'gate' && select(id)}
        onPaneClick={() => select(undefined)}
        onMoveStart={(event) => event !== null && view.moved()}
        onInit={view.show}
        minZoom={0.04}
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
        <Background gap={24} color="var(--line)" />
        <Routes laidOut={laidOut} marked={active ?? selected} />
        {!isNarrow && nodes.length > MAPPED && (
          <MiniMap
            ariaLabel={say.map}
            pannable
            style={{ width: 160, height: 100 }}
            zoomable
            nodeColor={mapColour}
            nodeStrokeWidth={0}
            bgColor="var(--sheet)"
            maskColor="color-mix(in srgb, var(--sunken) 70%, transparent)"
          />
        )}
      </ReactFlow>
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

const MAP_COLOURS: Partial<Record<Status, string>> = {
  running: 'var(--busy)',
  expanding: 'var(--busy)',
  succeeded: 'var(--good)',
  failed: 'var(--bad)',
  blocked: 'var(--bad)',
  waiting: 'var(--warn)',
  retrying: 'var(--warn)',
  in_doubt: 'var(--warn)',
};

function mapColour({ type, data }: { readonly type?: string | undefined; readonly data: unknown }): string {
  if (type !== 'task') return 'transparent';
  return MAP_COLOURS[(data as Shown['data']).face.status] ?? 'var(--faint)';
}
