import { useState } from 'react';
import { stringifyJson } from '#dandori/model/json.ts';
import type { PlanAbout } from '#dandori/model/question.ts';
import type { Task } from '#dandori/model/task.ts';
import { useTexts } from '../../shell/language.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EffectMark } from '../../ui/effect-mark.tsx';
import { words } from '../../ui/words.ts';
import { texts as planTexts } from '../plan/texts.ts';
import { texts } from './texts.ts';

interface Props {
  readonly tasks: PlanAbout['tasks'];
  /** Against the plan before; absent where all of it is new. */
  readonly changes: PlanAbout['changes'];
}

const SHOWN = 20;

/** The calls of a plan in their order, with what is new, changed or taken away. */
export function PlanTasks({ tasks, changes }: Props) {
  const say = useTexts(texts).context;
  const more = useTexts(words).more;
  const [isWhole, setWhole] = useState(tasks.length <= SHOWN);
  const shown = isWhole ? tasks : tasks.slice(0, SHOWN);
  return (
    <section aria-label={say.tasks(tasks.length)} className="flex flex-col gap-1">
      <h4 className="text-faint text-xs">{say.tasks(tasks.length)}</h4>
      <ol className="flex max-h-96 flex-col divide-y divide-line overflow-auto rounded border border-line bg-paper">
        {shown.map((task) => (
          <PlannedCall key={task.id} task={task} changes={changes} />
        ))}
        {isWhole && changes?.removed.map((task) => <Removed key={task.id} task={task} />)}
      </ol>
      {!isWhole && (
        <Button look="bare" onClick={() => setWhole(true)} className="self-start">
          {more(tasks.length - SHOWN + (changes?.removed.length ?? 0))}
        </Button>
      )}
    </section>
  );
}

function PlannedCall({ task, changes }: { task: PlanAbout['tasks'][number]; changes: Props['changes'] }) {
  const say = useTexts(planTexts);
  const before = changes?.changed.find(({ id }) => id === task.id);
  const isNew = changes?.added.includes(task.id) === true;
  return (
    <li className="flex flex-col gap-0.5 px-3 py-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        {isNew && <Badge look="good">+ {say.changes.added}</Badge>}
        {before !== undefined && <Badge look="warn">~ {say.changes.changed}</Badge>}
        <span className="text-faint">{task.id}</span>
        <span className="font-medium font-mono [overflow-wrap:anywhere]">{task.operation}</span>
        <EffectMark effect={task.effect} />
        {task.waitsFor !== undefined && (
          <span className="text-faint text-xs">{say.waitsFor(task.waitsFor.join(', '))}</span>
        )}
      </div>
      {task.description !== undefined && <p>{task.description}</p>}
      <Args task={task} />
      {before !== undefined && (
        <div className="text-faint">
          {say.changes.was}: <span className="font-mono">{before.operation}</span>
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
        <Badge look="bad">− {say.changes.removed}</Badge>
        <del className="text-faint">
          {task.id} <span className="font-mono">{task.operation}</span>
        </del>
      </div>
      <Args task={task} />
    </li>
  );
}

function Args({ task }: { readonly task: Task }) {
  const text = stringifyJson(task.args);
  if (text === '{}') return null;
  return (
    <p className="max-h-32 overflow-auto whitespace-pre-wrap font-mono text-faint text-xs [overflow-wrap:anywhere]">
      {text}
    </p>
  );
}
