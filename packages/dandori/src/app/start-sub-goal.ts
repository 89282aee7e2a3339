import { startRun } from '../commands/index.ts';
import type { Drivable, Parts } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import { DandoriError } from '../model/error.ts';
import { isObject } from '../model/json.ts';
import type { Settings } from '../model/settings.ts';
import { DEEPEST_GOAL, toolsForGoal, unknownTools } from '../model/sub-goal.ts';
import { languageOf } from '../model/text.ts';
import { foldRun } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import { timeFor } from '../run/sub-goal.ts';
import { isCleanCall } from '../run/trust/lineage.ts';
import { type CallOutcome, failed, type GoalRequest, limitTools } from '../tools/index.ts';

export interface SubGoalParts {
  readonly parts: Parts;
  readonly mindFor: (name?: string) => Promise<Mind>;
}

interface Begun {
  readonly mind: Mind;
  readonly what: Drivable;
  /** Undefined if it was just started. */
  readonly state: RunState | undefined;
}

/** The run of the sub-goal: started, or continued if it was there already. Otherwise why it can't be. */
export async function beginSubGoal(
  request: GoalRequest,
  { parts, mindFor }: SubGoalParts,
): Promise<Begun | CallOutcome> {
  const { share, args, parent } = request;
  const state = await stateOfRun(share.run, parts);
  if (state !== undefined)
    return { mind: await mindOf(state.mind, { parts, mindFor }), what: share.run, state };
  const problem = problemWith(request, parts);
  if (problem !== undefined) return failed('invalid_args', problem);
  const { model, goal, output } = args;
  // Without a name it has the model of the run, which may not be the configured one.
  const mind = await (typeof model === 'string' ? mindFor(model) : mindOf(parent.mind, { parts, mindFor }));
  const toolbox = limitTools(request.toolbox, onlyFor(request));
  const only = onlyFor(request) ?? parent.only;
  const started = await startRun(
    {
      run: share.run,
      goal: String(goal),
      settings: settingsFor(request, parts.clock.now()),
      userId: parent.userId,
      ...(isObject(output) && { output }),
      parent: { run: parent.run, task: request.task.task.id, depth: depthOf(parent) + 1 },
      only,
      ...(!isCleanCall(request.task, parent) && { hasHeardStrangers: true as const }),
    },
    { ...parts, mind, toolbox },
  );
  return { mind, what: started, state: undefined };
}

/** A sub-goal must be able to continue even if its model is no longer configured. */
async function mindOf(name: string, { parts, mindFor }: SubGoalParts): Promise<Mind> {
  try {
    return await mindFor(name);
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    return parts.mind;
  }
}

function problemWith({ parent, args, toolbox }: GoalRequest, { check }: Parts): string | undefined {
  if (depthOf(parent) >= DEEPEST_GOAL)
    return `a sub-goal ${DEEPEST_GOAL} levels deep cannot have sub-goals: do it here`;
  const unknown = unknownTools(args, toolbox.tools());
  if (unknown.length > 0) return `tools: there is no ${unknown.join(', ')}`;
  const problem = isObject(args.output) ? check.problem?.(args.output) : undefined;
  return problem === undefined ? undefined : `output: no JSON Schema that can be used: ${problem}`;
}

function settingsFor({ parent, share, task }: GoalRequest, now: number): Settings {
  const { settings } = parent;
  const { tokens, cost, calls } = share;
  const time = timeFor(task, parent, now);
  const { closing } = settings.limits;
  return {
    ...settings,
    language: languageOf(parent),
    limits: {
      ...settings.limits,
      calls,
      time,
      ...(closing !== undefined && { closing: Math.min(closing, time / 5) }),
      ...(tokens !== undefined && { tokens: Math.max(1, tokens) }),
      ...(cost !== undefined && { cost: Math.max(Number.MIN_VALUE, cost) }),
    },
  };
}

/** Undefined if there is no such run. */
export async function stateOfRun(
  run: string,
  { journal }: Pick<Parts, 'journal'>,
): Promise<RunState | undefined> {
  try {
    return foldRun(run, await journal.read(run));
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'run-not-found') return undefined;
    throw error;
  }
}

function depthOf({ parent }: RunState): number {
  return parent?.depth ?? 0;
}

/** Undefined if it may use all tools of the run. */
function onlyFor({ args, toolbox }: GoalRequest): string[] | undefined {
  return args.tools === undefined ? undefined : toolsForGoal(args, toolbox.tools());
}
