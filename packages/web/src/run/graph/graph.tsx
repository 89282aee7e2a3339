import { ReactFlowProvider } from '@xyflow/react';
import { useState } from 'react';
import { useTexts } from '../../shell/language.tsx';
import { useIsNarrow } from '../narrow.ts';
import type { ViewProps } from '../view.ts';
import { EmptyView, ViewHead, ViewSwitch } from '../view-head.tsx';
import { Canvas } from './canvas.tsx';
import { Legend } from './legend.tsx';
import type { Structure } from './structure.ts';
import { TaskList } from './task-list.tsx';
import { texts } from './texts.ts';
import { useLayout } from './use-layout.ts';
import { useStructure } from './use-structure.ts';

const SHAPES = ['graph', 'list'] as const;

/** The plan, live: as a graph, or in words. */
export function Graph(props: ViewProps) {
  const say = useTexts(texts);
  const [hasGone, setHasGone] = useState(false);
  const [shape, setShape] = useState<(typeof SHAPES)[number]>('graph');
  const structure = useStructure(props, hasGone);
  return (
    <section aria-label={say.graph} className="flex min-h-0 flex-1 flex-col gap-2">
      <ViewHead shapes={SHAPES} shape={shape} onShape={setShape} texts={say}>
        {props.state.planVersion > 1 && <ViewSwitch isOn={hasGone} onSwitch={setHasGone} text={say.gone} />}
        {shape === 'graph' && <Legend structure={structure} />}
      </ViewHead>
      {structure.nodes.length === 0 ? (
        <EmptyView text={say.nothing} />
      ) : shape === 'list' ? (
        <TaskList structure={structure} state={props.state} selected={props.selected} select={props.select} />
      ) : (
        <ReactFlowProvider>
          <Drawn structure={structure} {...props} />
        </ReactFlowProvider>
      )}
    </section>
  );
}

function Drawn({ structure, ...props }: ViewProps & { readonly structure: Structure }) {
  const { laidOut, error } = useLayout(structure, useIsNarrow() ? 'down' : 'right');
  if (error !== undefined) throw error;
  return (
    <div className="relative min-h-[max(24rem,55dvh)] flex-1 md:min-h-96 overflow-hidden rounded-md border border-line bg-paper">
      <Canvas laidOut={laidOut} {...props} />
    </div>
  );
}
