import type { RunState } from '#dandori/run/state/state.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts as statusTexts } from '../../ui/texts.ts';
import { faceOf } from './face.ts';
import { texts } from './texts.ts';
import type { LaidOut } from './use-layout.ts';

interface Props {
  readonly laidOut: LaidOut;
  readonly state: RunState;
  readonly id: string | undefined;
}

/** Where the keyboard stands, for who does not see it. */
export function Announced({ laidOut: { structure }, state, id }: Props) {
  const say = useTexts(texts);
  const { status } = useTexts(statusTexts);
  const node = structure.nodes.find((one) => one.id === id);
  const face = node && faceOf(node, state);
  const before = structure.edges.filter(({ to }) => to === id).length;
  const behind = structure.edges.filter(({ from }) => from === id).length;
  const words = face && [
    face.title,
    face.operation ?? say.step,
    status[face.status],
    ...(face.effect === undefined ? [] : [say.effects[face.effect]]),
    ...(face.attempts > 1 ? [say.tries(face.attempts)] : []),
    say.before(before),
    say.behind(behind),
  ];
  return (
    <p role="status" className="sr-only">
      {words?.join(', ')}
    </p>
  );
}
