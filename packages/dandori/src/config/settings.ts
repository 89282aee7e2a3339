import type { Problem } from '../documents/problem.ts';
import { valueAt } from '../model/json.ts';
import { type Mode, mode as modes, type OrderRule, type Settings } from '../model/settings.ts';
import { sort } from '../plan/graph.ts';
import { resolveApprovals } from './approvals.ts';
import type { Config } from './config.ts';
import type { ConfigFile } from './file-shape.ts';

/** How often in a row a mind may fail before the run fails. Not configurable: more has never helped. */
const REPAIRS = 2;
/**
 * How often a task is resumed after its driver died. It is not configurable: it only stops a task that kills
 * its driver each time.
 */
const RESTARTS = 20;

/** Milliseconds of `max_time` that are kept for the closing answer, at most. */
const LONGEST_CLOSING = 30_000;

export function resolveSettings(
  { execution, planning, context, questions, language, effects, trust }: ConfigFile,
  servers: Config['mcpServers'],
): Settings {
  return {
    mode: resolveMode(execution, planning.enabled),
    approval: execution.approval,
    ...resolveApprovals(effects, servers),
    ...(questions !== undefined && { questions: resolveQuestions(questions) }),
    ...resolveConcurrency(execution.concurrency),
    ...serverLimits(servers),
    limits: {
      steps: execution.max_steps,
      calls: execution.max_model_calls,
      tasks: planning.max_subtasks,
      time: execution.max_time,
      closing: Math.min(LONGEST_CLOSING, execution.max_time / 10),
      ...(execution.max_cost !== undefined && { cost: execution.max_cost }),
      ...(execution.max_tokens !== undefined && { tokens: execution.max_tokens }),
    },
    ...(planning.enabled && { planning: resolvePlanning(planning) }),
    task: {
      timeoutMs: execution.task_timeout,
      attempts: execution.retry.attempts,
      backoff: execution.retry.backoff,
      transient: execution.retry.transient,
      restarts: RESTARTS,
    },
    repairs: REPAIRS,
    order: (execution.order ?? shippedOrder(servers)).flatMap(toRules),
    context: { tokens: context.max_tokens, result: context.max_result, tools: context.max_tools },
    ...resolveTrust(trust, execution.approval),
    streamDispatch: execution.stream_dispatch,
    ...(execution.sub_goals && { subGoals: true }),
    ...(language !== undefined && { language }),
  };
}

/** Reads change nothing, so many run at once unless the user sets another number. */
function resolveConcurrency(written: number | undefined): Pick<Settings, 'concurrency' | 'writes'> {
  return written === undefined ? { concurrency: 64, writes: 16 } : { concurrency: written };
}

/** A configuration that never asks for approval is not asked about trust either, unless it says so. */
function resolveTrust(
  { policy, tools, rules, endorse }: ConfigFile['trust'],
  approval: Settings['approval'],
): Pick<Settings, 'trust'> {
  const chosen = policy ?? (approval === 'never' ? 'observe' : 'standard');
  if (chosen === 'off') return {};
  const aims = Object.fromEntries(Object.entries(tools).map(([name, { aim }]) => [name, aim]));
  return {
    trust: {
      policy: chosen,
      ...(Object.keys(aims).length > 0 && { aims }),
      ...(rules.length > 0 && { rules }),
      ...(endorse.length > 0 && { endorse }),
    },
  };
}

function resolvePlanning({
  strategy,
  decomposition_level,
  reflection,
  revision,
}: ConfigFile['planning']): Settings['planning'] {
  const { enabled, trigger_on_error, trigger_interval } = reflection;
  return {
    strategy,
    decomposition: decomposition_level,
    ...(enabled && { reflection: { onError: trigger_on_error, interval: trigger_interval } }),
    revisions: revision.max_revisions,
  };
}

function resolveQuestions({
  expire_after,
  when_expired,
  hold,
  answerers,
}: NonNullable<ConfigFile['questions']>): Settings['questions'] {
  return {
    ...(expire_after !== undefined && { expireAfter: expire_after }),
    whenExpired: when_expired,
    ...(hold !== undefined && { hold }),
    ...(answerers !== undefined && { answerers }),
  };
}

function serverLimits(servers: Config['mcpServers']): Pick<Settings, 'servers'> {
  const limited = Object.entries(servers).flatMap(([name, { concurrency }]) =>
    concurrency === undefined ? [] : [[name, concurrency] as const],
  );
  return limited.length > 0 ? { servers: Object.fromEntries(limited) } : {};
}

/** Checks what the schema cannot express. The value may still have any shape. */
export function executionProblems(config: unknown): Problem[] {
  return [...modeProblems(config), ...orderProblems(config)];
}

function resolveMode({ mode, adaptive_mode }: ConfigFile['execution'], isPlanning: boolean): Mode {
  return permitted(mode ?? oldMode(adaptive_mode) ?? 'auto', isPlanning);
}

/** The settings for a run that asks for its own mode. */
export function inMode(settings: Settings, mode: Mode | undefined): Settings {
  return mode === undefined
    ? settings
    : { ...settings, mode: permitted(mode, settings.planning !== undefined) };
}

/** If planning is off, no run plans, whether the file or the run itself sets the mode. */
function permitted(mode: Mode, isPlanning: boolean): Mode {
  return isPlanning || mode === 'direct' ? mode : 'adaptive';
}

function oldMode(adaptive: unknown): Mode | undefined {
  return typeof adaptive === 'boolean' ? (adaptive ? 'adaptive' : 'planned') : undefined;
}

/** A database server may be queried only after its tables were listed. */
function shippedOrder(servers: Config['mcpServers']): string[][] {
  return Object.entries(servers)
    .filter(([, server]) => server.transport === 'stdio' && server.shipped === 'sqlite')
    .map(([name]) =>
      ['list_tables', 'get_table_schema', 'execute_safe_query'].map((tool) => `${name}.${tool}`),
    );
}

function toRules(chain: readonly string[]): OrderRule[] {
  return chain.slice(1).map((after, index) => ({ before: chain[index] ?? after, after }));
}

function modeProblems(config: unknown): Problem[] {
  const mode = valueAt(config, ['execution', 'mode']);
  const old = oldMode(valueAt(config, ['execution', 'adaptive_mode']));
  if (!modes.safeParse(mode).success || old === undefined || old === mode) return [];
  const message = `execution.adaptive_mode: ${old === 'adaptive'} means mode ${old}, and execution.mode is ${String(mode)}`;
  return [
    {
      path: ['execution', 'adaptive_mode'],
      at: 'key',
      message,
      hint: 'keep execution.mode; adaptive_mode is its old name',
    },
  ];
}

/** If order rules contradict each other, their tools could never be called. */
function orderProblems(config: unknown): Problem[] {
  const chains = valueAt(config, ['execution', 'order']);
  if (!Array.isArray(chains)) return [];
  const graph = new Map<string, Set<string>>();
  for (const chain of chains) {
    for (const { before, after } of Array.isArray(chain) ? toRules(chain.map(String)) : []) {
      if (!graph.has(before)) graph.set(before, new Set());
      graph.set(after, (graph.get(after) ?? new Set()).add(before));
    }
  }
  const cycle = sort(graph).cycle?.toReversed();
  if (cycle === undefined) return [];
  const message = `these rules contradict each other: ${[...cycle, cycle[0]].join(' → ')}`;
  return [{ path: ['execution', 'order'], at: 'key', message, hint: 'remove one of them' }];
}
