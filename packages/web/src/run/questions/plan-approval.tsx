import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { type Json, stringifyJson } from '#dandori/model/json.ts';
import { type PlanAbout, planAbout } from '#dandori/model/question.ts';
import { isStep, type Task, workOf } from '#dandori/model/task.ts';
import { type AskedQuestion, durationText } from '#dandori/views/report.ts';
import { draftKey, useDraft } from '../../live/drafts.ts';
import { useTexts } from '../../shell/language.tsx';
import { Link } from '../../shell/route.tsx';
import { useClient } from '../../shell/session.tsx';
import { texts as planTexts } from '../../texts/plan.ts';
import { texts } from '../../texts/questions.ts';
import { texts as taskTexts } from '../../texts/tasks.ts';
import { words } from '../../texts/words.ts';
import { Button } from '../../ui/button.tsx';
import { Label } from '../../ui/label.tsx';
import { Badge, EffectMark } from '../../ui/marks.tsx';
import { Message } from '../../ui/message.tsx';
import { Problem } from '../../ui/problem.tsx';
import { EstimateView } from '../plan/estimate-view.tsx';
import { showEditor } from '../plan/show-editor.ts';
import { ContextView, Row, TrustView } from './context-view.tsx';
import { INPUT } from './form.tsx';

interface Props {
  readonly run: string;
  readonly question: AskedQuestion;
  readonly isPast: boolean;
  readonly onSent: (isSent: boolean) => void;
}

/** A plan that waits for approval: its estimate, its tasks and its changes. */
export function PlanApproval({ run, question, isPast, onSent }: Props) {
  const say = useTexts(texts);
  return (
    <>
      <PlanDetails context={question.context} />
      {isPast ? (
        <p className="text-faint text-sm">{say.past}</p>
      ) : (
        <Verdict run={run} question={question.id} onSent={onSent} />
      )}
    </>
  );
}

export function PlanDetails({ context }: { readonly context: Json | undefined }) {
  const read = planAbout.safeParse(context);
  return read.success ? <About about={read.data} /> : <ContextView context={context} />;
}

function About({ about }: { readonly about: ReturnType<typeof planAbout.parse> }) {
  const word = useTexts(words);
  const say = useTexts(texts).context;
  const { objective, successCriteria = [], constraints = [], reasoning, limits } = about;
  const { plan, tasks, changes, notes = [], problems = [] } = about;
  const isAbout = [objective, reasoning, limits].some((one) => one !== undefined);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {problems.length > 0 && (
        <div role="alert" className="border-bad border-l-2 pl-3 text-sm">
          <p className="text-bad">{say.problems}</p>
          <ul>
            {problems.map(({ task, message, hint }) => (
              <li key={`${task} ${message}`} className="[overflow-wrap:anywhere]">
                {task !== undefined && <code>{task}</code>} <Message text={message} />
                {hint !== undefined && (
                  <span className="text-faint">
                    {' '}
                    (<Message text={hint} />)
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      {(isAbout || successCriteria.length > 0 || constraints.length > 0) && (
        <dl className="flex flex-col gap-1 text-sm">
          {objective !== undefined && <Row name={word.outline.objective}>{objective}</Row>}
          {successCriteria.length > 0 && (
            <Row name={word.outline.successCriteria}>{successCriteria.join(' · ')}</Row>
          )}
          {constraints.length > 0 && <Row name={word.outline.constraints}>{constraints.join(' · ')}</Row>}
          {reasoning !== undefined && <Row name={word.reasoning}>{reasoning}</Row>}
          {limits !== undefined && (
            <Row name={say.limits}>
              {[
                `${word.limits.calls} ${limits.calls}`,
                `${word.limits.tasks} ${limits.tasks}`,
                `${word.limits.time} ${durationText(limits.time)}`,
                ...(limits.cost === undefined ? [] : [`${word.limits.cost} $${limits.cost}`]),
              ].join(' · ')}
            </Row>
          )}
        </dl>
      )}
      <EstimateView estimate={plan} />
      <PlanTasks tasks={tasks} changes={changes} />
      {notes.map((note) => (
        <p key={note} className="border-warn border-l-2 pl-3 text-sm [overflow-wrap:anywhere]">
          <span className="text-warn">
            <Label>{say.notes}</Label>
          </span>
          {note}
        </p>
      ))}
    </div>
  );
}

function Verdict({
  run,
  question,
  onSent,
}: {
  run: string;
  question: string;
  onSent: (isSent: boolean) => void;
}) {
  const say = useTexts(texts);
  const word = useTexts(words);
  const client = useClient();
  const id = useId();
  const [reason, setReason] = useState<string>();
  const [draft] = useDraft(draftKey(run, question));
  const verdict = useMutation({
    mutationFn: (isYes: boolean) => {
      if (isYes) return client.approve(run, { question });
      const why = reason?.trim() ?? '';
      return client.reject(run, { question, ...(why !== '' && { reason: why }) });
    },
    onMutate: () => onSent(true),
    onError: () => onSent(false),
  });
  return (
    <div className="flex flex-col gap-2">
      {reason !== undefined && (
        <div className="flex flex-col gap-1">
          <label htmlFor={id} className="font-medium text-sm">
            {say.reason}
          </label>
          <textarea
            id={id}
            rows={2}
            // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
            autoFocus
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            className={INPUT}
          />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {reason === undefined ? (
          <>
            <Button
              look={draft === undefined ? 'main' : 'plain'}
              disabled={verdict.isPending}
              onClick={() => verdict.mutate(true)}
            >
              {draft === undefined ? word.answers.approve : say.approveProposed}
            </Button>
            <Button look="danger" disabled={verdict.isPending} onClick={() => setReason('')}>
              {word.answers.reject}
            </Button>
            <Link
              to={{ at: 'run', run, view: 'plan' }}
              onClick={showEditor}
              className="rounded border border-line px-3 py-1.5 text-sm hover:bg-sunken"
            >
              {word.answers.editPlan}
            </Link>
          </>
        ) : (
          <>
            <Button look="danger" disabled={verdict.isPending} onClick={() => verdict.mutate(false)}>
              {word.answers.reject}
            </Button>
            <Button disabled={verdict.isPending} onClick={() => setReason(undefined)}>
              {say.back}
            </Button>
          </>
        )}
      </div>
      {draft !== undefined && <p className="text-sm text-warn">{say.hasDraft}</p>}
      <Problem error={verdict.error} />
    </div>
  );
}

interface PlanTasksProps {
  readonly tasks: PlanAbout['tasks'];
  /** Compared with the plan before; undefined if there was none. */
  readonly changes: PlanAbout['changes'];
}

const SHOWN = 20;

/** The tasks of a plan, with what was added, changed or removed. */
function PlanTasks({ tasks, changes }: PlanTasksProps) {
  const word = useTexts(words);
  const [isWhole, setWhole] = useState(tasks.length <= SHOWN);
  const shown = isWhole ? tasks : tasks.slice(0, SHOWN);
  const count = tasks.every(isStep) ? word.steps(tasks.length) : word.tasks(tasks.length);
  return (
    <section aria-label={count} className="flex flex-col gap-1">
      <h4 className="text-faint text-xs">{count}</h4>
      <ol className="flex max-h-96 flex-col divide-y divide-line overflow-auto rounded border border-line bg-paper">
        {shown.map((task) => (
          <PlannedCall key={task.id} task={task} changes={changes} />
        ))}
        {isWhole && changes?.removed.map((task) => <Removed key={task.id} task={task} />)}
      </ol>
      {!isWhole && (
        <Button look="bare" onClick={() => setWhole(true)} className="self-start">
          {word.more(tasks.length - SHOWN + (changes?.removed.length ?? 0))}
        </Button>
      )}
    </section>
  );
}

function PlannedCall({
  task,
  changes,
}: {
  task: PlanAbout['tasks'][number];
  changes: PlanTasksProps['changes'];
}) {
  const say = useTexts(planTexts);
  const before = changes?.changed.find(({ id }) => id === task.id);
  const isNew = changes?.added.includes(task.id) === true;
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        {isNew && <Badge look="good">+ {say.changes.add}</Badge>}
        {before !== undefined && <Badge look="warn">~ {say.changes.replace}</Badge>}
        <span className="text-faint">{task.id}</span>
        {!isStep(task) && (
          <>
            <span className="font-medium font-mono [overflow-wrap:anywhere]">{task.operation}</span>
            <EffectMark effect={task.effect} />
          </>
        )}
        {task.waitsFor !== undefined && (
          <span className="text-faint text-xs">{say.waitsFor(task.waitsFor.join(', '))}</span>
        )}
      </div>
      {task.description !== undefined && <p>{task.description}</p>}
      <Args task={task} />
      {task.trust !== undefined && <TrustView trust={task.trust} />}
      {before !== undefined && (
        <div className="text-faint">
          <Label>{say.changes.was}</Label>
          <span className="font-mono">{workOf(before)}</span>
          <Args task={before} />
        </div>
      )}
    </li>
  );
}

function Removed({ task }: { readonly task: Task }) {
  const say = useTexts(planTexts);
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3">
        <Badge look="bad">− {say.changes.remove}</Badge>
        <del className="text-faint">
          {task.id} <span className="font-mono">{workOf(task)}</span>
        </del>
      </div>
      <Args task={task} />
    </li>
  );
}

/** A step is shown in words. Its purpose is left out if the description says it. */
function Args({ task }: { readonly task: Task }) {
  const { expect } = useTexts(taskTexts);
  if (isStep(task)) {
    const { purpose, expected } = task.args;
    return (
      <>
        {typeof purpose === 'string' && purpose !== task.description && <p>{purpose}</p>}
        {typeof expected === 'string' && (
          <p className="text-faint">
            <Label>{expect}</Label>
            {expected}
          </p>
        )}
      </>
    );
  }
  const text = stringifyJson(task.args);
  if (text === '{}') return null;
  return (
    <p className="max-h-32 overflow-auto whitespace-pre-wrap font-mono text-faint text-xs [overflow-wrap:anywhere]">
      {text}
    </p>
  );
}
