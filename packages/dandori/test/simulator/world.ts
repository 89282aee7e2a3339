import type { Json, JsonObject } from '../../src/model/json.ts';
import { isRepeatable } from '../../src/model/tool.ts';
import type { Call, CallOutcome, Toolbox } from '../../src/tools/index.ts';
import type { Fate } from './faults.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';
import { type Behaviour, calledBy, effectOf, effectsOf, isLook, PROBED_TOOLS, TOOLS } from './scenario.ts';
import type { Timeline } from './timeline.ts';

/** The world outside of the processes. It survives their deaths and knows what really happened. */
export interface World {
  /** How often the effect with this name happened. A tool that supports keys repeats no effect. */
  effects(name: string): number;
  readonly total: number;
  /** Whether a call with this name is still running, so that its outcome is not known yet. */
  isUnderWay(name: string): boolean;
  toolboxFor(process: SimulatedProcess): Toolbox;
}

interface WorldParts {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly fate: Fate;
  readonly behaviours: ReadonlyMap<string, Behaviour>;
  /** Whether tools that claim to support idempotency keys do. */
  readonly knowsKeys: boolean;
  readonly hasProbes: boolean;
  /** Whether probes find existing effects. */
  readonly canFind: boolean;
  readonly onCall: (call: Call) => void;
}

const LARGE = 40_000;
const LONGEST_OUTAGE = 2_000;
const LOOK_AGAIN = 50;

export function createWorld({
  random,
  timeline,
  fate,
  behaviours,
  knowsKeys,
  hasProbes,
  canFind,
  onCall,
}: WorldParts): World {
  const effects = new Map<string, number>();
  const keys = new Set<string>();
  const underWay = new Map<string, number>();
  const deadUntil = new Map<string, number>();
  /** The results of tasks that took effect, for probes. */
  const results = new Map<string, Json>();
  let total = 0;

  function takeEffect({ operation, key, args }: Call): void {
    const effect = effectOf(operation);
    if (effect === 'read') return;
    if (effect === 'idempotent' && knowsKeys) {
      if (keys.has(key)) return;
      keys.add(key);
    }
    const name = String(args.name);
    total++;
    effects.set(name, (effects.get(name) ?? 0) + 1);
    if (canFind) results.set(name, resultOf(args, behaviours.get(name)));
  }

  /** The work of a server. It continues even if its caller is gone. */
  function work(call: Call, ms: number, done: () => void): () => void {
    const name = String(call.args.name);
    const change = (by: number) => underWay.set(name, (underWay.get(name) ?? 0) + by);
    change(1);
    const takeBack = timeline.after(ms, () => {
      change(-1);
      takeEffect(call);
      done();
    });
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      takeBack();
      change(-1);
    };
  }

  const isUnderWay = (task: string) => (underWay.get(task) ?? 0) > 0;

  /** A probe waits for a call that is still running, otherwise it would say no too early. */
  function look(name: string, ms: number, done: () => void): () => void {
    let takeBack = timeline.after(ms, see);
    function see(): void {
      if (isUnderWay(name)) takeBack = timeline.after(LOOK_AGAIN, see);
      else done();
    }
    return () => takeBack();
  }

  /** Sometimes the probe can't tell. */
  function finding(name: string): JsonObject {
    const result = results.get(name);
    if (random.chance(0.1)) return { found: null };
    return { found: result !== undefined, ...(result !== undefined && { result }) };
  }

  function call(call: Call, process: SimulatedProcess): Promise<CallOutcome> {
    onCall(call);
    const { operation, args, signal } = call;
    const name = String(args.name);
    const server = operation.split('.')[0] ?? '';
    const isProbe = isLook(operation);
    const behaviour = isProbe ? undefined : behaviours.get(name);
    const after = (ms: number, outcome: CallOutcome) =>
      new Promise<CallOutcome>((resolve) => timeline.after(ms, () => resolve(outcome)));
    if ((deadUntil.get(server) ?? 0) > timeline.now) return after(1, unavailable(server));
    const fault = fate.strike('call', () => `${process.name}: ${operation} ${name}`);
    const isRisky = !isRepeatable(effectOf(operation));
    const ms = random.chance(0.1) ? random.between(100, 4_000) : random.below(20);
    if (fault === 'server_dead') {
      deadUntil.set(server, timeline.now + random.between(1, LONGEST_OUTAGE));
      return after(1, unavailable(server));
    }
    if (fault === 'crash_before_effect') {
      process.die();
      return never();
    }
    // For other calls this error would be final, and the run would not end as it does without faults.
    if (fault === 'tool_error' && !isRisky)
      return after(ms, { kind: 'failed', failure: { kind: 'tool_error', message: 'busy', retryable: true } });
    if (behaviour?.isHopeless)
      return after(ms, { kind: 'failed', failure: { kind: 'tool_error', message: 'never' } });
    if (behaviour?.isAmbiguous && args.choice === undefined) return after(ms, AMBIGUOUS);
    if (fault === 'lost_before_effect') return after(ms, LOST);
    if (fault === 'call_broken') {
      takeEffect(call);
      return Promise.reject(new Error('the adapter broke its promise'));
    }
    if (isProbe && random.chance(0.1))
      return after(ms, { kind: 'failed', failure: { kind: 'tool_error', message: 'the index is down' } });
    return new Promise((resolve, reject) => {
      const outcome = (): CallOutcome => ({
        kind: 'succeeded',
        result: isProbe ? finding(name) : resultOf(args, behaviour),
      });
      const begin = (ms: number, done: () => void) => (isProbe ? look(name, ms, done) : work(call, ms, done));
      const takeBack =
        fault === 'timeout_before_effect'
          ? () => {}
          : begin(ms, () => {
              if (fault === 'crash_after_effect') return process.die();
              if (fault === 'timeout_after_effect') return;
              if (fault === 'lost_after_effect') return resolve(LOST);
              const late = fault === 'completion_held_back' ? random.between(10, 4_000) : 0;
              const said = outcome();
              if (late > 0) timeline.after(late, () => resolve(said));
              else resolve(said);
              if (fault === 'completion_duplicated') {
                resolve({ kind: 'succeeded', result: 'a second time' });
                reject(new Error('and a third'));
              }
            });
      signal.addEventListener('abort', () => {
        if (fault === 'deaf_to_abort') return;
        // A server may stop at an abort, or ignore it and finish without a caller.
        if (random.chance(0.5)) takeBack();
        timeline.after(random.below(3), () =>
          resolve({ kind: 'lost', cause: 'cancelled', message: 'aborted' }),
        );
      });
    });
  }

  /** Makes one call per part, some in parallel, and continues from its earlier attempts. */
  async function serve(made: Call, operation: string, process: SimulatedProcess): Promise<CallOutcome> {
    onCall(made);
    const { args, key, signal } = made;
    const name = String(args.name);
    const behaviour = behaviours.get(name);
    const effect = effectOf(operation);
    if (behaviour?.isAmbiguous && args.choice === undefined) return AMBIGUOUS;
    const callPart = async (part: string): Promise<CallOutcome> => {
      const inner = { key: `${key}/${part}`, operation, args: { name: part }, effect };
      const make = () => call({ ...made, ...inner }, process);
      for (;;) {
        const outcome = (await made.inner?.(inner, make)) ?? (await make());
        const isDown = outcome.kind === 'failed' && outcome.failure.kind === 'unavailable';
        // A write is not retried as a whole, so it waits for a server that is down.
        if (!isDown || isRepeatable(effect) || signal.aborted) return outcome;
        await new Promise<void>((resolve) => timeline.after(LOOK_AGAIN, resolve));
      }
    };
    const isTogether = name.length % 2 === 0;
    const parts = effectsOf({ id: name, operation: made.operation });
    for (const some of isTogether ? [parts.slice(0, 2), parts.slice(2)] : parts.map((part) => [part])) {
      const outcomes = await Promise.all(some.map(callPart));
      const bad = outcomes.find(({ kind }) => kind !== 'succeeded');
      if (bad?.kind === 'failed') {
        const isRetried = bad.failure.retryable === true && isRepeatable(effect);
        const { kind, message } = bad.failure;
        return { kind: 'failed', failure: { kind, message, ...(isRetried && { retryable: true }) } };
      }
      if (bad !== undefined) return bad;
      if (signal.aborted) return { kind: 'lost', cause: 'cancelled', message: 'aborted' };
      if (behaviour?.isHopeless) return { kind: 'failed', failure: { kind: 'tool_error', message: 'never' } };
    }
    return { kind: 'succeeded', result: resultOf(args, behaviour) };
  }

  return {
    effects: (name) => effects.get(name) ?? 0,
    get total() {
      return total;
    },
    isUnderWay,
    toolboxFor: (process) => ({
      tools: () => (hasProbes ? PROBED_TOOLS : TOOLS),
      missing: () => [],
      call: (made) => {
        const inside = calledBy(made.operation);
        return process.receive(() =>
          inside === undefined ? call(made, process) : serve(made, inside, process),
        );
      },
      async close() {},
    }),
  };
}

const LOST: CallOutcome = { kind: 'lost', cause: 'connection_lost', message: 'the line went dead' };

const AMBIGUOUS: CallOutcome = {
  kind: 'ambiguous',
  question: 'Which?',
  options: [
    { label: 'the first', value: 1, args: { choice: 1 } },
    { label: 'the other, elsewhere', value: 2, args: { choice: 2, part: 'b' } },
  ],
};

function unavailable(server: string): CallOutcome {
  return { kind: 'failed', failure: { kind: 'unavailable', message: `${server} is down`, retryable: true } };
}

/** Depends only on the arguments, so wrongly filled arguments show in the answer. */
function resultOf({ name, from, choice }: JsonObject, behaviour: Behaviour | undefined): JsonObject {
  const value = `${name}(${from ?? ''}${choice ?? ''})`;
  return behaviour?.isLarge ? { value, text: name === undefined ? '' : 'x'.repeat(LARGE) } : { value };
}

function never(): Promise<never> {
  return new Promise(() => {});
}
