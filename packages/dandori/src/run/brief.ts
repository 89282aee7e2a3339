import type { Brief, Progress, ReflectionTrigger } from '../model/decision.ts';
import type { Purpose } from '../model/event.ts';
import { isStep } from '../model/task.ts';
import { criteriaToMeet } from './criteria.ts';
import { loopToReport } from './loop.ts';
import type { Verdict } from './monitor.ts';
import type { RunState, TaskState } from './state/state.ts';

/** A longer list of names does not help the model. */
const MOST_NAMED = 20;

/** What the next decision is told besides its purpose. Undefined if there is nothing to tell. */
export function briefFor(state: RunState, purpose: Purpose, verdict: Verdict): Brief | undefined {
  const brief: Brief = {
    ...(purpose === 'generate' && { steps: [...state.indexes.stepsReady] }),
    ...(purpose !== 'answer' && progressPart(state)),
    ...(isWorking(purpose) && workPart(state, verdict)),
    ...(isWorking(purpose) && state.unreported.size > 0 && { report: [...state.unreported] }),
    ...(state.isContinued && { isContinued: true }),
  };
  return Object.keys(brief).length === 0 ? undefined : brief;
}

function isWorking(purpose: Purpose): boolean {
  return purpose === 'act' || purpose === 'generate';
}

function workPart(state: RunState, verdict: Verdict): Brief {
  const reflect = verdict.kind === 'reflect' ? verdict.trigger : undefined;
  const loop = loopToReport(state);
  const unmet = criteriaToMeet(state);
  return {
    ...(reflect !== undefined && { reflect }),
    ...(unmet.length > 0 && { unmet }),
    ...((reflect === 'error' || unmet.length > 0) && { revisionsLeft: revisionsLeft(state) }),
    ...(loop !== undefined && { loop }),
  };
}

/** Why the mind should reflect now. It does so in its next decision, without an extra model call. */
export function reflectionDue({
  settings,
  planGiven,
  sinceReflection,
}: RunState): ReflectionTrigger | undefined {
  const reflection = settings.planning?.reflection;
  if (reflection === undefined || planGiven) return undefined;
  if (reflection.onError && sinceReflection.failed > 0) return 'error';
  return sinceReflection.ended >= reflection.interval ? 'interval' : undefined;
}

export function revisionsLeft({ settings, revisions }: RunState): number {
  const most = settings.planning?.revisions ?? Number.MAX_SAFE_INTEGER;
  return Math.max(0, most - revisions.filter(({ by }) => by !== 'user').length);
}

function progressPart(state: RunState): Brief {
  const progress = progressOf(state);
  return progress === undefined ? {} : { progress };
}

/** Progress of the steps. Undefined for a plan without steps. */
export function progressOf({ tasks, indexes: { stepCount } }: RunState): Progress | undefined {
  if (stepCount === 0) return undefined;
  const steps = [...tasks.values()].filter(({ task, isSuperseded }) => isStep(task) && !isSuperseded);
  const current = named(steps, ({ status }) => status === 'ready' || status === 'expanding');
  const failed = named(steps, ({ status }) => status === 'failed');
  return {
    done: steps.filter(({ status }) => status === 'succeeded').length,
    total: steps.length,
    ...(current.length > 0 && { current }),
    ...(failed.length > 0 && { failed }),
  };
}

function named(steps: readonly TaskState[], isMeant: (step: TaskState) => boolean): string[] {
  return steps
    .filter(isMeant)
    .slice(0, MOST_NAMED)
    .map(({ task }) => task.id);
}
