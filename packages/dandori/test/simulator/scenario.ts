import type { Mode, Settings } from '../../src/model/settings.ts';
import type { Task } from '../../src/model/task.ts';
import { type Effect, isRepeatable, type Probe, type Tool } from '../../src/model/tool.ts';
import type { Random } from './random.ts';

/** How a task of the scenario behaves at each call. */
export interface Behaviour {
  /** The tool always fails. */
  readonly isHopeless: boolean;
  /** The user must choose first. */
  readonly isAmbiguous: boolean;
  /** The result goes to a blob. */
  readonly isLarge: boolean;
  /** The user rejects it. */
  readonly isRefused: boolean;
}

/** The work of a seed: the goal, its tasks, and whether a mind or a user plans them. */
export interface Scenario {
  readonly settings: Settings;
  /** Whether the user gives the plan. */
  readonly isGiven: boolean;
  /** Whether the mind is the built-in planner, which costs nothing and decides at once. */
  readonly isBuiltIn: boolean;
  /** Whether the mind asks a question first. */
  readonly asksFirst: boolean;
  /** Whether the mind writes its answer together with the last tasks, with Refs to their results. */
  readonly answersAtOnce: boolean;
  readonly isPersonSilent: boolean;
  /** Whether a probe exists for calls in doubt. */
  readonly hasProbes: boolean;
  /** Limits and attempts are high enough for all faults, so that the end does not depend on them. */
  readonly isGenerous: boolean;
  /** In the order in which the mind proposes them: all at once, in batches, or step by step. */
  readonly batches: readonly (readonly Task[])[];
  readonly behaviours: ReadonlyMap<string, Behaviour>;
}

const SERVERS = ['shop', 'mail', 'disk'] as const;
const EFFECTS: Record<string, Effect> = {
  read: 'read',
  put: 'idempotent',
  send: 'write',
  drop: 'destructive',
  restock: 'idempotent',
  deliver: 'write',
};

/** Services. Each makes one call to these tools per part of its work. */
const SERVICES: ReadonlyMap<string, string> = new Map([
  ['restock', 'put'],
  ['deliver', 'send'],
]);
const PARTS = 3;

/** The tools that a service calls. Undefined for a tool that makes no calls. */
export function calledBy(operation: string): string | undefined {
  const [server, name = ''] = operation.split('.');
  const called = SERVICES.get(name);
  return called === undefined ? undefined : `${server}.${called}`;
}

/** The names under which the effects of a task are counted. */
export function effectsOf({ id, operation }: Pick<Task, 'id' | 'operation'>): string[] {
  if (calledBy(operation) === undefined) return [id];
  return Array.from({ length: PARTS }, (_, index) => `${id}/${index + 1}`);
}
const LONGEST_TIME = 1e10;

/** The tool that probes use. No plan contains it. */
const FIND = 'find';

export const TOOLS = toolbox(false);
export const PROBED_TOOLS = toolbox(true);

function toolbox(hasProbes: boolean): ReadonlyMap<string, Tool> {
  const offered = Object.entries({ ...EFFECTS, [FIND]: 'read' as const });
  return new Map(
    SERVERS.flatMap((server) =>
      offered.map(([name, effect]): [string, Tool] => [
        `${server}.${name}`,
        {
          name: `${server}.${name}`,
          server,
          description: name,
          inputSchema: { type: 'object' },
          effect,
          trusted: true,
          ...(server === 'disk' && { resource: 'part:{part}' }),
          ...(hasProbes && !isRepeatable(effect) && { probe: probeOf(server) }),
        },
      ]),
    ),
  );
}

function probeOf(server: string): Probe {
  const args = { name: '{name}' };
  return { tool: `${server}.${FIND}`, args, settledWhen: 'found', result: 'result', wait: 20 };
}

export function effectOf(operation: string): Effect {
  return TOOLS.get(operation)?.effect ?? 'write';
}

/** Whether a call is a probe. */
export function isLook(operation: string): boolean {
  return operation.endsWith(`.${FIND}`);
}

export function writeScenario(random: Random): Scenario {
  const isGenerous = random.chance(0.85);
  const mode = random.pick<Mode>(['planned', 'planned', 'adaptive', 'hierarchical', 'auto']);
  const isGiven = mode === 'auto' && random.chance(0.6);
  const hasRefs = mode !== 'adaptive';
  const batches = writeBatches(random, {
    count: isGiven || mode === 'planned' ? 1 : random.between(1, 3),
    hasRefs,
  });
  return {
    settings: writeSettings(random, mode, isGenerous),
    isGiven,
    isBuiltIn: random.fork('mind').chance(0.2),
    asksFirst: !isGiven && random.chance(0.1),
    answersAtOnce: hasRefs && mode !== 'hierarchical' && random.chance(0.2),
    isPersonSilent: random.chance(0.04),
    hasProbes: random.chance(0.4),
    isGenerous,
    batches,
    behaviours: new Map(
      batches.flat().map(({ id }) => [
        id,
        {
          isHopeless: random.chance(0.06),
          isAmbiguous: random.chance(0.08),
          isLarge: random.chance(0.02),
          isRefused: random.chance(0.05),
        },
      ]),
    ),
  };
}

function writeBatches(random: Random, { count, hasRefs }: { count: number; hasRefs: boolean }): Task[][] {
  const batches: Task[][] = [];
  let number = 0;
  for (let batch = 0; batch < count; batch++) {
    const written: Task[] = [];
    for (let size = random.between(1, count === 1 ? 6 : 3); size > 0; size--) {
      const earlier = written.map(({ id }) => id);
      written.push(writeTask(`t${++number}`, random, { earlier, hasRefs }));
    }
    batches.push(written);
  }
  return batches;
}

interface Place {
  readonly earlier: readonly string[];
  readonly hasRefs: boolean;
}

function writeTask(id: string, random: Random, { earlier, hasRefs }: Place): Task {
  const operation = `${random.pick(SERVERS)}.${random.pick(['read', 'read', 'put', 'send', 'send', 'drop', 'restock', 'deliver'])}`;
  const source = earlier.length > 0 && random.chance(0.5) ? earlier[random.below(earlier.length)] : undefined;
  const isRef = source !== undefined && hasRefs && random.chance(0.7);
  return {
    id,
    operation,
    args: { name: id, part: random.pick(['a', 'b']), ...(isRef && { from: `\${${source}.value}` }) },
    ...(source !== undefined && !isRef && { after: [source] }),
    ...(random.chance(0.1) && { timeoutMs: random.between(10, 50) }),
  };
}

function writeSettings(random: Random, mode: Mode, isGenerous: boolean): Settings {
  return {
    mode,
    approval: random.pick(['never', 'never', 'destructive', 'writes', 'always']),
    concurrency: random.pick([1, 2, 4, 16]),
    ...(random.fork('writes').chance(0.3) && { writes: 1 }),
    ...(random.chance(0.2) && {
      questions: {
        expireAfter: random.pick([1_000, 60_000, 1e7]),
        whenExpired: random.pick(['decline', 'decline', 'cancel']),
      },
    }),
    ...(random.chance(0.2) && { servers: { shop: 1 } }),
    limits: isGenerous
      ? { steps: 50, calls: 200, tasks: 100, time: LONGEST_TIME }
      : {
          steps: random.between(1, 4),
          calls: random.between(2, 8),
          tasks: random.between(3, 20),
          time: random.pick([50, 2_000, 100_000, LONGEST_TIME]),
        },
    ...(random.chance(0.5) && {
      planning: {
        strategy: 'chain_of_thought',
        decomposition: 'moderate',
        reflection: { onError: true, interval: random.pick([2, 10]) },
        revisions: 5,
      },
    }),
    task: {
      timeoutMs: 5_000,
      attempts: isGenerous ? 30 : random.between(1, 3),
      backoff: 50,
      restarts: isGenerous ? 1_000 : random.between(1, 3),
    },
    repairs: isGenerous ? 15 : random.below(3),
    order: [],
    language: 'en',
    streamDispatch: random.chance(0.5),
  };
}
