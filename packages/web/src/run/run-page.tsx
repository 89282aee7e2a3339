import { type ComponentType, useMemo, useState } from 'react';
import { stateAt } from '../live/moment.ts';
import { useRun } from '../live/use-run.ts';
import { useTexts } from '../shell/language.tsx';
import { Link, RUN_VIEWS, type RunView } from '../shell/route.tsx';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { Answer } from './answer/answer.tsx';
import { Decisions } from './decisions/decisions.tsx';
import { Events } from './events/events.tsx';
import { Graph } from './graph/graph.tsx';
import { Slider } from './past/slider.tsx';
import { PlanEditor } from './plan/plan-editor.tsx';
import { Questions } from './questions/questions.tsx';
import { TaskDetails } from './tasks/task-details.tsx';
import { Tasks } from './tasks/tasks.tsx';
import { texts } from './texts.ts';
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
  const say = useTexts(texts);
  const news = useRun(run);
  const [selected, select] = useState<string>();
  const isPast = seq !== undefined && seq < (news.state?.seq ?? 0);
  const past = useMemo(() => (isPast ? stateAt(news.events, seq) : undefined), [isPast, seq, news.events]);
  const state = past ?? news.state;
  if (state === undefined) return news.error === undefined ? <Waiting /> : <Problem error={news.error} />;
  const events = isPast ? news.events.slice(0, seq) : news.events;
  const props: ViewProps = { run, state, events, news, isPast, selected, select };
  const View = VIEWS[view];
  return (
    <div className="flex flex-1 flex-col gap-3 p-4">
      <h1 className="font-semibold text-xl">{state.goal}</h1>
      <Problem error={news.error} />
      <Questions {...props} />
      <Answer {...props} />
      <Slider {...props} />
      <nav aria-label={say.viewsLabel}>
        <ul className="flex gap-4">
          {RUN_VIEWS.map((name) => (
            <li key={name}>
              <Link to={{ at: 'run', run, view: name, ...(seq !== undefined && { seq }) }}>
                {say.views[name]}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <View {...props} />
      {selected !== undefined && <TaskDetails {...props} />}
    </div>
  );
}
