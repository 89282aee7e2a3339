import { type ComponentType, type KeyboardEvent, lazy, Suspense, useRef, useState } from 'react';
import { ShownTime } from '../live/now.tsx';
import { useShown } from '../live/past-states.ts';
import { useRun } from '../live/run-feed.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo, Link, RUN_VIEWS, type RunView } from '../shell/route.tsx';
import { useTitle } from '../shell/title.ts';
import { texts } from '../texts/run.ts';
import { Interrupted } from '../ui/marks.tsx';
import { Waiting } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Answer } from './answer/answer.tsx';
import { Graph } from './graph/graph.tsx';
import { Head } from './head/head.tsx';
import { Slider } from './past/slider.tsx';
import { useMoment } from './past/use-moment.ts';
import { HandledQuestions } from './questions/dismissed-questions.tsx';
import { Questions } from './questions/questions.tsx';
import { Details } from './tasks/task-details.tsx';
import { statusOfRun, type ViewProps } from './view.tsx';

interface Props {
  readonly run: string;
  readonly view: RunView;
  /** The event up to which the run is shown; undefined for the current state. */
  readonly seq: number | undefined;
}

/** The graph is shown first; the other views are loaded when they are opened. */
const VIEWS: Readonly<Record<RunView, ComponentType<ViewProps>>> = {
  graph: Graph,
  timeline: lazy(() => import('./timeline/timeline.tsx')),
  decisions: lazy(() => import('./decisions/decisions.tsx')),
  tasks: lazy(() => import('./tasks/tasks.tsx')),
  plan: lazy(() => import('./plan/plan-editor.tsx')),
  events: lazy(() => import('./events/events.tsx')),
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
    tasks: state.tasks.size - state.indexes.stepCount,
    events: events.length,
  };
  return (
    <ShownTime value={isPast ? events.at(-1)?.at : undefined}>
      <Interrupted value={statusOfRun(props) === 'interrupted'}>
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
                <Suspense fallback={<Waiting />}>
                  <View {...props} />
                </Suspense>
              </div>
              {selected !== undefined && <Details key={selected} {...props} selected={selected} />}
            </div>
            <Slider {...props} />
          </div>
        </HandledQuestions>
      </Interrupted>
    </ShownTime>
  );
}

interface TabsProps {
  readonly run: string;
  readonly view: RunView;
  readonly seq: number | undefined;
  readonly counts: Partial<Record<RunView, number>>;
}

const PANEL = 'view';

/** Each tab is a link too, so that it can be opened in a browser tab. */
function Tabs({ run, view, seq, counts }: TabsProps) {
  const say = useTexts(texts);
  const list = useRef<HTMLDivElement>(null);
  const routeTo = (name: RunView) => ({
    at: 'run' as const,
    run,
    view: name,
    ...(seq !== undefined && { seq }),
  });
  const move = (event: KeyboardEvent) => {
    const index = RUN_VIEWS.indexOf(view);
    const last = RUN_VIEWS.length - 1;
    const targets: Partial<Record<string, number>> = {
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index === 0 ? last : index - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    const name = target === undefined ? undefined : RUN_VIEWS[target];
    if (name === undefined) return;
    event.preventDefault();
    goTo(routeTo(name));
    list.current?.querySelector<HTMLElement>(`#tab-${name}`)?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={say.viewsLabel}
      onKeyDown={move}
      className="-mx-4 flex gap-1 overflow-x-auto border-line border-b px-4 text-sm"
    >
      {RUN_VIEWS.map((name) => (
        <Link
          key={name}
          id={`tab-${name}`}
          role="tab"
          aria-selected={name === view}
          aria-controls={PANEL}
          tabIndex={name === view ? 0 : -1}
          to={routeTo(name)}
          className="-mb-px whitespace-nowrap border-transparent border-b-2 px-3 py-2 text-faint hover:text-ink focus-visible:outline-offset-[-2px] aria-selected:border-accent aria-selected:text-ink"
        >
          {say.views[name]}{' '}
          {counts[name] !== undefined && counts[name] > 0 && (
            <span className="ml-0.5 rounded bg-sunken px-1.5 text-faint text-xs tabular-nums">
              {counts[name]}
            </span>
          )}
        </Link>
      ))}
    </div>
  );
}
