import { isStep, purposeOf } from '#dandori/model/task.ts';
import type { Effect } from '#dandori/model/tool.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { statusAtEnd } from '#dandori/views/report.ts';
import type { Status } from '../../ui/texts.ts';
import type { GraphNode } from './structure.ts';

/** What is seen of a task in the graph. */
export interface Face {
  readonly id: string;
  readonly title: string;
  /** Undefined of a step. */
  readonly operation: string | undefined;
  readonly status: Status;
  /** Undefined where the compiler has not seen it, and of a step. */
  readonly effect: Effect | undefined;
  readonly attempts: number;
  /** Milliseconds of all attempts that have ended. */
  readonly ms: number | undefined;
  /** When the attempt began that is running. */
  readonly since: number | undefined;
  /** `proposed` is not accepted yet; `gone` does not count any more. */
  readonly standing: 'proposed' | 'accepted' | 'gone';
  /** Of a group: how many of its tasks have succeeded. */
  readonly done: number;
  readonly total: number;
}

export function faceOf({ id, written, effect, isRemoved }: GraphNode, state: RunState): Face | undefined {
  const of = state.tasks.get(id);
  const task = of?.task ?? written;
  if (task === undefined) return undefined;
  const children = (of?.children ?? []).flatMap((child) => state.tasks.get(child) ?? []);
  const counted = children.filter(({ isSuperseded }) => !isSuperseded);
  return {
    id,
    title: isStep(task) ? purposeOf(task) : (task.description ?? id),
    operation: isStep(task) ? undefined : task.operation,
    status: of === undefined ? 'pending' : statusAtEnd(of, state),
    effect: isStep(task) ? undefined : (of?.effect ?? effect),
    attempts: of?.attempts ?? 0,
    ms: of?.ms,
    since: of?.status === 'running' ? of.startedAt : undefined,
    standing: isRemoved || of?.isSuperseded === true ? 'gone' : of === undefined ? 'proposed' : 'accepted',
    done: counted.filter(({ status }) => status === 'succeeded').length,
    total: counted.length,
  };
}

export function isSameFace(one: Face, other: Face): boolean {
  return (Object.keys(one) as (keyof Face)[]).every((key) => one[key] === other[key]);
}
