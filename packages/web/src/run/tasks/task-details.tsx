import type { ReactNode } from 'react';
import { stringifyJson } from '#dandori/model/json.ts';
import { isStep, purposeOf } from '#dandori/model/task.ts';
import type { TaskState } from '#dandori/run/state/state.ts';
import { duration, statusAtEnd } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { EffectMark } from '../../ui/effect-mark.tsx';
import { FailureView } from '../../ui/failure-view.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { StatusMark } from '../../ui/status.tsx';
import type { ViewProps } from '../view.ts';
import { AttemptList } from './attempt-list.tsx';
import { attemptsOf } from './attempts.ts';
import { RefText } from './ref-text.tsx';
import { ResultView } from './result-view.tsx';
import { TaskFacts } from './task-facts.tsx';
import { texts } from './texts.ts';

/** All that is known of the task that is selected. What stands around it closes it. */
export function TaskDetails(props: ViewProps) {
  const { state, selected = '', news } = props;
  const say = useTexts(texts);
  const task = state.tasks.get(selected);
  const progress = news.progress.get(selected);
  if (task === undefined) return <p className="p-4 text-faint">{say.gone}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-4 bg-sheet p-4">
      <div>
        <h2 className="font-semibold [overflow-wrap:anywhere]">
          <span className="text-faint">{selected}</span>{' '}
          <span className="font-mono">{task.task.operation}</span>
        </h2>
        <div className="flex flex-wrap items-center gap-x-4">
          <StatusMark status={statusAtEnd(task, state)} />
          <EffectMark effect={task.effect} />
          {task.ms !== undefined && <span className="text-faint text-sm">{duration(task.ms)}</span>}
        </div>
        {progress !== undefined && <p className="text-busy text-sm">{progress.message}</p>}
      </div>
      <Body {...props} task={task} />
    </div>
  );
}

function Body({ run, events, select, task: state }: ViewProps & { readonly task: TaskState }) {
  const say = useTexts(texts);
  const { task, sent, result, note, failure, status } = state;
  const attempts = attemptsOf(events, task.id);
  const isSame = sent === undefined || stringifyJson(sent) === stringifyJson(task.args);
  const renderText = (text: string) => <RefText text={text} onTask={select} />;
  return (
    <>
      <p className="text-sm empty:hidden">{isStep(task) ? purposeOf(task) : task.description}</p>
      <TaskFacts state={state} onTask={select} />
      {status !== 'succeeded' && failure !== undefined && <FailureView failure={failure} />}
      <Part title={say.written}>
        <JsonTree key={task.id} value={task.args} label={say.written} renderText={renderText} />
        {sent !== undefined && isSame && <p className="text-faint text-xs">{say.sameAsWritten}</p>}
      </Part>
      {sent !== undefined && !isSame && (
        <Part title={say.sent}>
          <JsonTree key={task.id} value={sent} label={say.sent} />
        </Part>
      )}
      {result !== undefined && (
        <Part title={say.result}>
          <ResultView run={run} task={task.id} result={result} />
          {note !== undefined && (
            <p className="text-sm text-warn [overflow-wrap:anywhere]">
              {say.note}: {note}
            </p>
          )}
        </Part>
      )}
      {attempts.length > 0 && (
        <Part title={say.attempts}>
          <AttemptList attempts={attempts} />
        </Part>
      )}
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-1">
      <h3 className="font-medium text-faint text-sm">{title}</h3>
      {children}
    </section>
  );
}
