import { isStep } from '#dandori/model/task.ts';
import { durationText, outcomeOf, statusAtEnd } from '#dandori/views/report.ts';
import { useRun } from '../../live/run-feed.ts';
import { Link } from '../../shell/route.tsx';
import { StatusMark } from '../../ui/marks.tsx';
import { Problem } from '../../ui/problem.tsx';

/** The run of a sub-goal inside the task that started it: its goal, its tasks, and those of its sub-goals. */
export function SubGoal({ run }: { readonly run: string }) {
  const { state, error } = useRun(run);
  if (state === undefined) return <Problem error={error} />;
  const tasks = [...state.tasks.values()].filter(({ task }) => !isStep(task));
  return (
    <div className="flex min-w-0 flex-col gap-1 border-line border-l-2 pl-3 text-sm">
      <Link to={{ at: 'run', run, view: 'graph' }} className="underline [overflow-wrap:anywhere]">
        {state.goal}
      </Link>
      <StatusMark status={outcomeOf(state)} />
      <ul className="flex min-w-0 flex-col gap-1">
        {tasks.map((task) => (
          <li key={task.task.id} className="flex min-w-0 flex-wrap items-center gap-x-2">
            <StatusMark status={statusAtEnd(task, state)} />
            <span className="font-mono [overflow-wrap:anywhere]">
              {task.task.id} {task.task.operation}
            </span>
            {task.ms !== undefined && <span className="text-faint">{durationText(task.ms)}</span>}
            {task.share !== undefined && <SubGoal run={task.share.run} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
