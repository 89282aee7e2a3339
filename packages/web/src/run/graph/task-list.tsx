import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from '../../texts/graph.ts';
import { texts as taskTexts } from '../../texts/tasks.ts';
import { words } from '../../texts/words.ts';
import { Label } from '../../ui/label.tsx';
import { StatusMark } from '../../ui/marks.tsx';
import { Elapsed } from '../view.tsx';
import { faceOf } from './elements.ts';
import type { GraphNode, Structure } from './structure.ts';

interface Props {
  readonly structure: Structure;
  readonly state: RunState;
  readonly selected: string | undefined;
  readonly select: (task: string) => void;
}

/** The graph as a list: each task with what it waits for. */
export function TaskList({ structure, ...rest }: Props) {
  const inside = Map.groupBy(structure.nodes, ({ parent }) => parent);
  const incoming = Map.groupBy(structure.edges, ({ to }) => to);
  return <Level nodes={inside.get(undefined) ?? []} inside={inside} incoming={incoming} {...rest} />;
}

interface LevelProps extends Omit<Props, 'structure'> {
  readonly nodes: readonly GraphNode[];
  readonly inside: ReadonlyMap<string | undefined, readonly GraphNode[]>;
  readonly incoming: ReadonlyMap<string, Structure['edges']>;
}

function Level({ nodes, ...rest }: LevelProps) {
  return (
    <ol className="flex flex-col">
      {nodes
        .filter(({ kind }) => kind !== 'gate')
        .map((node) => (
          <li
            key={node.id}
            className="border-line border-t [contain-intrinsic-size:auto_44px] [content-visibility:auto]"
          >
            <Row node={node} {...rest} />
            {node.isGroup && (
              <div className="ml-3 border-line border-l pl-3">
                <Level nodes={rest.inside.get(node.id) ?? []} {...rest} />
              </div>
            )}
          </li>
        ))}
    </ol>
  );
}

function Row({
  node,
  state,
  incoming,
  selected,
  select,
}: { readonly node: GraphNode } & Omit<LevelProps, 'nodes'>) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const tasks = useTexts(taskTexts);
  const face = faceOf(node, state);
  if (face === undefined) return null;
  const sources = (hazard: boolean) => sourcesOf(node.id, incoming, hazard);
  return (
    <button
      type="button"
      aria-current={selected === node.id ? 'true' : undefined}
      onClick={() => select(node.id)}
      className="flex w-full flex-wrap items-baseline gap-x-3 px-2 py-1.5 text-left text-sm hover:bg-sunken aria-[current]:bg-sunken"
    >
      <StatusMark status={face.status} />
      <span className="font-medium">{face.title}</span>
      <span className="font-mono text-faint text-xs">{face.operation ?? say.step}</span>
      {face.effect !== undefined && <span className="text-faint text-xs">{word.effects[face.effect]}</span>}
      {face.attempts > 1 && <span className="text-warn text-xs">{word.attempt(face.attempts)}</span>}
      <span className="text-faint text-xs">
        <Elapsed ms={face.ms} since={face.since} />
      </span>
      <Sources label={tasks.needs} ids={sources(false)} />
      <Sources label={tasks.waits} ids={sources(true)} />
    </button>
  );
}

const SHOWN = 12;

function Sources({ label, ids }: { readonly label: string; readonly ids: readonly string[] }) {
  if (ids.length === 0) return null;
  const rest = ids.length > SHOWN ? ` +${ids.length - SHOWN}` : '';
  return (
    <span className="text-faint text-xs">
      <Label>{label}</Label>
      {ids.slice(0, SHOWN).join(', ')}
      {rest}
    </span>
  );
}

/** The tasks that a task waits for. A gate stands for its members. */
function sourcesOf(id: string, incoming: LevelProps['incoming'], isHazard: boolean): string[] {
  return (incoming.get(id) ?? [])
    .filter(({ kind }) => (kind === 'hazard') === isHazard)
    .flatMap(({ from }) =>
      from.startsWith('gate:') ? (incoming.get(from) ?? []).map((edge) => edge.from) : [from],
    );
}
