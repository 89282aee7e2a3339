import * as z from 'zod';
import type { Event } from '../model/event.ts';
import { canonicalJson, isObject, type Json, json, stringifyJson } from '../model/json.ts';
import { isStep } from '../model/task.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { type Report, report } from '../views/report.ts';

interface ComparedRun {
  readonly state: RunState;
  readonly events: readonly Event[];
}

/** A difference in `time` alone does not make runs different. */
const differenceKind = z.enum([
  'goal',
  'settings',
  'plan',
  'call',
  'outcome',
  'result',
  'answer',
  'usage',
  'time',
]);
export type DifferenceKind = z.infer<typeof differenceKind>;

const difference = z.object({
  kind: differenceKind,
  what: z.string().describe('Where: a path of the settings, a task, a figure'),
  left: json.optional().describe('Absent if the run does not have it'),
  right: json.optional(),
});
export type RunDifference = Readonly<z.infer<typeof difference>>;

export const runDiffSchema = z.object({
  left: z.string(),
  right: z.string(),
  commonSeq: z.number().int().optional().describe('The last event that both runs share, if one forked'),
  isSame: z.boolean(),
  differences: z.array(difference).readonly(),
});
export type RunDiff = Readonly<z.infer<typeof runDiffSchema>>;

/** The differences between two runs. Run ids and start times don't count. */
export function compareRuns(left: ComparedRun, right: ComparedRun): RunDiff {
  const commonSeq = commonPast(left, right);
  const [one, other] = [report(left.state), report(right.state)];
  const differences = [
    ...differing('goal', 'goal', [one.goal, other.goal]),
    ...settingsDifferences(left.state, right.state),
    ...taskDifferences(left.state, right.state, [one, other]),
    ...differing('outcome', 'run', [one.outcome, other.outcome]),
    ...differing('outcome', 'failure', [failureOf(one), failureOf(other)]),
    ...differing('outcome', 'missing', [missingOf(one), missingOf(other)]),
    ...differing('answer', 'answer', [one.answer, other.answer]),
    ...figureDifferences(one, other),
  ];
  return {
    left: left.state.run,
    right: right.state.run,
    ...(commonSeq > 0 && { commonSeq }),
    isSame: differences.every(({ kind }) => kind === 'time'),
    differences,
  };
}

/** A fork contains the events of its past, so equal events at the start are the shared past. */
function commonPast(left: ComparedRun, right: ComparedRun): number {
  if (left.state.forkedFrom === undefined && right.state.forkedFrom === undefined) return 0;
  const length = Math.min(left.events.length, right.events.length);
  let seq = 0;
  while (seq < length && factText(left.events[seq]) === factText(right.events[seq])) seq++;
  return seq;
}

/** The same event at the same time, in any run. */
export function factText(event: Event | undefined): string {
  if (event === undefined) return '';
  const { seq, at, type, data } = event;
  const { forkedFrom: _, ...rest } = data as { forkedFrom?: unknown };
  return stringifyJson([seq, at, type, rest]);
}

type Two = readonly [left: Json | undefined, right: Json | undefined];

function differing(kind: DifferenceKind, what: string, [left, right]: Two): RunDifference[] {
  if (textOf(left) === textOf(right)) return [];
  return [{ kind, what, ...(left !== undefined && { left }), ...(right !== undefined && { right }) }];
}

function textOf(value: Json | undefined): string {
  return value === undefined ? '' : canonicalJson(value);
}

function failureOf({ failure }: Report): Json | undefined {
  return failure && { kind: failure.kind, message: failure.message };
}

function missingOf({ missing }: Report): Json | undefined {
  return missing === undefined ? undefined : [...missing];
}

function settingsDifferences(left: RunState, right: RunState): RunDifference[] {
  const [one, other] = [leaves(left.settings as Json), leaves(right.settings as Json)];
  return keysOf(one, other).flatMap((path) => differing('settings', path, [one.get(path), other.get(path)]));
}

/** Every value with its path. */
function leaves(value: Json, path = '', found = new Map<string, Json>()): Map<string, Json> {
  if (!isObject(value)) return found.set(path, value);
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) leaves(item, path === '' ? key : `${path}.${key}`, found);
  }
  return found;
}

function keysOf<T>(left: ReadonlyMap<string, T>, right: ReadonlyMap<string, T>): string[] {
  return [...new Set([...left.keys(), ...right.keys()])];
}

function taskDifferences(
  left: RunState,
  right: RunState,
  [one, other]: readonly [Report, Report],
): RunDifference[] {
  return keysOf(left.tasks, right.tasks).flatMap((id) => {
    const [mine, theirs] = [left.tasks.get(id), right.tasks.get(id)];
    const written = differing('plan', id, [writtenAs(mine), writtenAs(theirs)]);
    const isStage = isStep(mine?.task ?? theirs?.task ?? { operation: '' });
    // A task of only one run is reported with the plan.
    if (mine === undefined || theirs === undefined || isStage) return written;
    return [
      ...written,
      ...differing('call', id, [calledAs(mine), calledAs(theirs)]),
      ...differing('outcome', id, [endedAs(id, one), endedAs(id, other)]),
      ...differing('result', id, [resultOf(mine), resultOf(theirs)]),
    ];
  });
}

function writtenAs(of: TaskState | undefined): Json | undefined {
  if (of === undefined) return undefined;
  const { operation, args, after = [], expect, timeoutMs, step } = of.task;
  return {
    operation,
    args,
    ...(after.length > 0 && { after }),
    ...(expect !== undefined && { expect }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(step !== undefined && { step }),
  };
}

function calledAs({ sent, attempts }: TaskState): Json | undefined {
  return sent === undefined ? undefined : { args: sent, attempts };
}

function endedAs(id: string, { tasks }: Report): Json | undefined {
  const task = tasks[id];
  if (task === undefined) return undefined;
  const { status, failure } = task;
  return failure === undefined ? status : `${status}: ${failure.kind}: ${failure.message}`;
}

function resultOf({ result }: TaskState): Json | undefined {
  if (result === undefined) return undefined;
  return 'value' in result ? result.value : { blob: result.blob.sha256, bytes: result.blob.bytes };
}

function figureDifferences({ usage: left }: Report, { usage: right }: Report): RunDifference[] {
  const figures = ['modelCalls', 'steps', 'inputTokens', 'outputTokens', 'cost'] as const;
  return [
    ...figures.flatMap((name) => differing('usage', name, [left[name], right[name]])),
    ...differing('time', 'ms', [left.ms, right.ms]),
  ];
}
