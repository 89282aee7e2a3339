import type { ReactNode } from 'react';
import { stringifyJson } from '#dandori/model/json.ts';
import type { TaskState } from '#dandori/run/state/state.ts';
import { duration } from '#dandori/views/report.ts';
import { useTexts } from '../../shell/language.tsx';
import { texts } from './texts.ts';

interface Props {
  readonly state: TaskState;
  readonly onTask: (task: string) => void;
}

/** What is known of a task in a line each. */
export function TaskFacts({ state, onTask }: Props) {
  const say = useTexts(texts);
  const { task, needs, waits, key, children } = state;
  const { step, reasoning, timeout, expect } = task;
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm empty:hidden">
      {reasoning !== undefined && <Fact name={say.why}>{reasoning}</Fact>}
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
      {timeout !== undefined && <Fact name={say.timeout}>{duration(timeout)}</Fact>}
      {expect !== undefined && (
        <Fact name={say.expect}>
          <code className="text-xs">{typeof expect === 'string' ? expect : stringifyJson(expect)}</code>
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
