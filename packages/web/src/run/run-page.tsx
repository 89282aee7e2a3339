import { type ComponentType, useState } from 'react';
import { StandingAt } from '../live/now.tsx';
import { useRun } from '../live/use-run.ts';
import { useShown } from '../live/use-shown.ts';
import type { RunView } from '../shell/route.tsx';
import { useTitle } from '../shell/title.ts';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { Answer } from './answer/answer.tsx';
import { Decisions } from './decisions/decisions.tsx';
import { Details } from './details.tsx';
import { Events } from './events/events.tsx';
import { Graph } from './graph/graph.tsx';
import { Head } from './head/head.tsx';
import { Slider } from './past/slider.tsx';
import { useMoment } from './past/use-moment.ts';
import { PlanEditor } from './plan/plan-editor.tsx';
import { HandledQuestions } from './questions/handled.tsx';
import { Questions } from './questions/questions.tsx';
import { PANEL, Tabs } from './tabs.tsx';
import { Tasks } from './tasks/tasks.tsx';
import { Timeline } from './timeline/timeline.tsx';
import type { ViewProps } from './view.ts';

interface Props {
  readonly run: string;
  readonly view: RunView;
  /** The event up to which the run is shown; absent for now. */
  readonly seq: number | undefined;
}

const VIEWS: Readonly<Record<RunView, ComponentType<ViewProps>>> = {
  graph: Graph,
  timeline: Timeline,
  decisions: Decisions,
  tasks: Tasks,
  plan: PlanEditor,
  events: Events,
};

export default function RunPage({ run, view, seq }: Props) {
  const live = useRun(run);
  const [moment, showAt] = useMoment({ run, view, seq });
  const [selected, select] = useState<string>();
  const { state, events, news, isPast } = useShown(live, moment);
  useTitle(live.state?.goal ?? '');
  if (state === undefined)
    return live.error === undefined ? (
      <Waiting />
    ) : (
      <div className="mx-auto w-full max-w-3xl px-4 py-6">
        <Problem error={live.error} />
      </div>
    );
  const props: ViewProps = { run, state, events, news, isPast, selected, select, showAt };
  const View = VIEWS[view];
  const counts = {
    decisions: state.decisions.length,
    tasks: state.tasks.size - state.stepCount,
    events: events.length,
  };
  return (
    <StandingAt value={isPast ? events.at(-1)?.at : undefined}>
      <HandledQuestions>
        <div className="flex min-w-0 flex-1 flex-col gap-3 px-4 pt-4">
          <Head {...props} />
          <Problem error={live.error} />
          <Questions {...props} />
          <Answer {...props} />
          <Tabs run={run} view={view} seq={isPast ? moment : undefined} counts={counts} />
          <div className="flex min-h-0 min-w-0 flex-1 items-stretch gap-3">
            <div
              id={PANEL}
              role="tabpanel"
              aria-labelledby={`tab-${view}`}
              className="flex min-w-0 flex-1 flex-col"
            >
              <View {...props} />
            </div>
            {selected !== undefined && <Details key={selected} {...props} selected={selected} />}
          </div>
          <Slider {...props} />
        </div>
      </HandledQuestions>
    </StandingAt>
  );
}
