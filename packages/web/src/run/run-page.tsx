import { useRun } from '../live/use-run.ts';
import type { RunView } from '../shell/route.tsx';

interface Props {
  readonly run: string;
  readonly view: RunView;
  /** The event up to which the run is shown; absent for now. */
  readonly seq: number | undefined;
}

export default function RunPage({ run }: Props) {
  const { state, events } = useRun(run);
  return (
    <h1 className="p-8 font-semibold text-xl">
      {state?.goal} ({events.length})
    </h1>
  );
}
