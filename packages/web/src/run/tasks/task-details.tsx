import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { asText, stringifyJson } from '#dandori/model/json.ts';
import { isStep, purposeOf, workOf, writeText } from '#dandori/model/task.ts';
import { mayHoldRef, parseTemplate, writeRef } from '#dandori/plan/refs.ts';
import type { TaskState } from '#dandori/run/state/state.ts';
import { durationText, statusAtEnd } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts as runTexts } from '../../texts/run.ts';
import { texts } from '../../texts/tasks.ts';
import { words } from '../../texts/words.ts';
import { FailureView } from '../../ui/failure.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { Label } from '../../ui/label.tsx';
import { EffectMark, StatusMark } from '../../ui/marks.tsx';
import type { ViewProps } from '../view.tsx';
import { AttemptList } from './attempt-list.tsx';
import { attemptsOf } from './attempts.ts';
import { ResultView } from './result-view.tsx';
import { SubGoal } from './sub-goal.tsx';

/** Beside the view if there is room, otherwise over its lower part. */
export function Details(props: ViewProps & { readonly selected: string }) {
  const word = useTexts(words);
  const say = useTexts(runTexts);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    before.current = document.activeElement;
  }, []);
  const close = () => {
    props.select(undefined);
    if (before.current instanceof HTMLElement || before.current instanceof SVGElement) before.current.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    close();
  };
  return (
    <aside
      aria-label={say.details(props.selected)}
      onKeyDown={onKeyDown}
      className="max-md:fixed max-md:inset-x-0 max-md:bottom-0 max-md:z-30 max-md:max-h-[72dvh] max-md:rounded-t-xl max-md:border-t max-md:shadow-2xl flex flex-col overflow-hidden border-line bg-sheet md:sticky md:top-2 md:max-h-[calc(100dvh-1rem-var(--stuck-below,0px))] md:w-96 md:shrink-0 md:self-start md:rounded-md md:border lg:w-[28rem]"
    >
      <div className="flex items-center justify-between border-line border-b px-3 py-1">
        <span className="min-w-0 truncate font-mono text-faint text-xs">{props.selected}</span>
        <button
          type="button"
          aria-label={word.close}
          onClick={close}
          className="rounded px-2 py-1 text-faint hover:text-ink"
        >
          ✕
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <TaskDetails {...props} />
      </div>
    </aside>
  );
}

function TaskDetails(props: ViewProps) {
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
          <span className={isStep(task.task) ? undefined : 'font-mono'}>{workOf(task.task)}</span>
        </h2>
        <div className="flex flex-wrap items-center gap-x-4">
          <StatusMark status={statusAtEnd(task, state)} />
          <EffectMark effect={task.effect} />
          {task.ms !== undefined && <span className="text-faint text-sm">{durationText(task.ms)}</span>}
        </div>
        {progress !== undefined && <p className="text-busy text-sm">{progress.message}</p>}
      </div>
      <Body {...props} task={task} />
    </div>
  );
}

function Body({ run, events, select, task: state }: ViewProps & { readonly task: TaskState }) {
  const say = useTexts(texts);
  const { task, sent, result, note, failure, status, share } = state;
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
              <Label>{say.note}</Label>
              {note}
            </p>
          )}
        </Part>
      )}
      {share !== undefined && (
        <Part title={say.subGoal}>
          <SubGoal run={share.run} />
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

interface TaskFactsProps {
  readonly state: TaskState;
  readonly onTask: (task: string) => void;
}

/** Facts of a task, one per line. */
function TaskFacts({ state, onTask }: TaskFactsProps) {
  const word = useTexts(words);
  const say = useTexts(texts);
  const { task, needs, waits, key, children } = state;
  const { step, reasoning, timeoutMs, expect } = task;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm empty:hidden">
      {reasoning !== undefined && <Fact name={word.reasoning}>{reasoning}</Fact>}
      {step !== undefined && (
        <Fact name={say.step}>
          <Tasks ids={[step]} onTask={onTask} />
        </Fact>
      )}
      {needs.length > 0 && (
        <Fact name={say.needs}>
          <Tasks ids={needs} onTask={onTask} />
        </Fact>
      )}
      {waits.length > 0 && (
        <Fact name={say.waits}>
          <Tasks ids={waits} onTask={onTask} />
        </Fact>
      )}
      {children.length > 0 && (
        <Fact name={say.tasksOf(children.length)}>
          <Tasks ids={children} onTask={onTask} />
        </Fact>
      )}
      {timeoutMs !== undefined && <Fact name={say.timeout}>{durationText(timeoutMs)}</Fact>}
      {expect !== undefined && (
        <Fact name={say.expect}>
          <code className="text-xs">{asText(expect)}</code>
        </Fact>
      )}
      {key !== undefined && (
        <Fact name={say.key}>
          <code className="text-xs">{key}</code>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

const MOST = 50;

function Tasks({ ids, onTask }: { readonly ids: readonly string[]; readonly onTask: (id: string) => void }) {
  return (
    <span className="flex flex-wrap gap-x-2">
      {ids.slice(0, MOST).map((id) => (
        <button key={id} type="button" onClick={() => onTask(id)} className="text-accent underline">
          {id}
        </button>
      ))}
      {ids.length > MOST && <span className="text-faint">… (+{ids.length - MOST})</span>}
    </span>
  );
}

interface RefTextProps {
  readonly text: string;
  readonly onTask: (task: string) => void;
}

/** A text with references as buttons that open their tasks. */
function RefText({ text, onTask }: RefTextProps) {
  const say = useTexts(texts);
  const parsed = mayHoldRef(text) ? parseTemplate(text) : undefined;
  if (parsed?.ok !== true) return text;
  return parsed.template.map((part, index) => (
    <Fragment key={index}>
      {typeof part === 'string' ? (
        writeText(part)
      ) : (
        <button
          type="button"
          title={say.goTask(part.task)}
          onClick={(event) => {
            event.stopPropagation();
            onTask(part.task);
          }}
          className="rounded bg-sunken px-1 text-accent underline"
        >
          {writeRef(part)}
        </button>
      )}
    </Fragment>
  ));
}
