import { ReactFlowProvider } from '@xyflow/react';
import { useMemo, useState } from 'react';
import type { FactType } from '#dandori/model/event.ts';
import { useTexts } from '../../shell/language.tsx';
import { goTo } from '../../shell/route.tsx';
import { texts } from '../../texts/graph.ts';
import { words } from '../../texts/words.ts';
import { useIsNarrow } from '../../ui/measure.ts';
import { EmptyView, ViewHead, type ViewProps, ViewSwitch } from '../view.tsx';
import { Canvas } from './canvas.tsx';
import { digestOf, type EdgeKind, removedTasks, type Structure, structureOf } from './structure.ts';
import { mergedState, subGoalOf, useSubGoals, withSubGoals } from './sub-goals.ts';
import { TaskList } from './task-list.tsx';
import { useLayout } from './use-layout.ts';

const SHAPES = ['graph', 'list'] as const;

/** The plan as a graph or as a list. */
export function Graph(props: ViewProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const [hasGone, setHasGone] = useState(false);
  const [shape, setShape] = useState<(typeof SHAPES)[number]>('graph');
  const own = useStructure(props, hasGone);
  const goals = useSubGoals(props);
  const structure = useMemo(() => withSubGoals(own, goals), [own, goals]);
  // The state is changed in place; `news` says when.
  const state = useMemo(() => mergedState(props.state, goals), [props.state, props.news, goals]);
  const select = (id: string | undefined) => {
    const run = subGoalOf(id ?? '', goals);
    if (run === undefined) props.select(id);
    else goTo({ at: 'run', run, view: 'graph' });
  };
  return (
    <section aria-label={say.graph} className="flex min-h-0 flex-1 flex-col gap-2">
      <ViewHead shapes={SHAPES} shape={shape} onShape={setShape} names={say.shapes}>
        {props.state.planVersion > 1 && <ViewSwitch isOn={hasGone} onSwitch={setHasGone} text={say.gone} />}
        {shape === 'graph' && <Legend structure={structure} />}
      </ViewHead>
      {structure.nodes.length === 0 ? (
        <EmptyView text={word.noPlan} />
      ) : shape === 'list' ? (
        <TaskList structure={structure} state={state} selected={props.selected} select={select} />
      ) : (
        <ReactFlowProvider>
          <Drawn structure={structure} {...props} state={state} select={select} />
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

const KINDS: readonly EdgeKind[] = ['data', 'after', 'hazard'];

/** Must match the line styles in `painter.ts`. */
const STROKES: Readonly<Record<EdgeKind, string>> = {
  data: 'stroke-accent',
  after: 'stroke-faint [stroke-dasharray:7_4]',
  hazard: 'stroke-warn [stroke-dasharray:2_3]',
};

/** Explains the kinds of edges that this graph has. */
function Legend({ structure }: { readonly structure: Structure }) {
  const say = useTexts(texts);
  const kinds = KINDS.filter((kind) => structure.edges.some((edge) => edge.kind === kind));
  const hasGate = structure.nodes.some(({ kind }) => kind === 'gate');
  if (kinds.length === 0) return null;
  return (
    <ul aria-label={say.legend} className="flex flex-wrap gap-x-4 gap-y-1 text-faint text-xs">
      {kinds.map((kind) => (
        <li key={kind} className="flex items-center gap-1.5">
          <svg width="28" height="8" aria-hidden="true">
            <path d="M0,4H28" fill="none" className={`${STROKES[kind]} [stroke-width:2]`} />
          </svg>
          {say.edges[kind]}
        </li>
      ))}
      {hasGate && (
        <li className="flex items-center gap-2">
          <span aria-hidden="true" className="size-2 rotate-45 border-2 border-warn" />
          {say.gate}
        </li>
      )}
    </ul>
  );
}

/** The events that can change tasks or dependencies. */
const STRUCTURAL: ReadonlySet<FactType> = new Set<FactType>([
  'plan_proposed',
  'plan_revised',
  'plan_approved',
  'plan_rejected',
  'question_asked',
  'question_answered',
  'question_expired',
]);

/** The same object as long as the plan is the same. */
function useStructure({ run, state, events }: ViewProps, hasGone: boolean): Structure {
  const seq = events.findLast(({ type }) => STRUCTURAL.has(type))?.seq ?? 0;
  // The state is changed in place; `seq` says when its plan changed.
  const structure = useMemo(
    () => structureOf(state, { removed: hasGone ? removedTasks(events) : [], superseded: hasGone }),
    [run, seq, hasGone],
  );
  const digest = useMemo(() => digestOf(structure), [structure]);
  // An equal structure stays the same object.
  return useMemo(() => structure, [digest]);
}
