import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Parts } from '../../src/driver/parts.ts';
import type { Mind } from '../../src/mind/mind.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Task } from '../../src/model/task.ts';
import type { Effect } from '../../src/model/tool.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { rounds } from '../long.ts';
import { createHouse, DONE, type House, task } from './house.ts';

const SERVERS = ['x', 'y'];
const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'write'];
const DURATIONS = [0, 1, 3, 10, 30];
const MAX_TASKS = 14;

const plans = fc.array(
  fc.record({
    server: fc.constantFrom(...SERVERS),
    effect: fc.constantFrom(...EFFECTS),
    /** What it touches: the whole server, one of two parts, or a part that is only known once it starts. */
    part: fc.constantFrom('whole', 'a', 'b', 'a by Ref'),
    isIndependent: fc.boolean(),
    takes: fc.constantFrom(...DURATIONS),
    fate: fc.constantFrom('works', 'works', 'works', 'fails', 'is busy', 'asks', 'asks for b', 'is lost'),
    needs: fc.array(fc.nat(MAX_TASKS - 1), { maxLength: 3 }),
    isNeedByRef: fc.boolean(),
  }),
  { minLength: 2, maxLength: MAX_TASKS },
);
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;
type Planned = Plan[number];

/** What a call does the first time that it is made; the second time it works, unless it is bound to fail. */
const TROUBLES: Partial<Record<Planned['fate'], CallOutcome>> = {
  fails: { kind: 'failed', failure: { kind: 'tool_error', message: 'no' } },
  'is busy': { kind: 'failed', failure: { kind: 'unavailable', message: 'busy', retryable: true } },
  asks: { kind: 'ambiguous', question: 'which?', options: [{ label: 'go', value: 'go' }] },
  'asks for b': {
    kind: 'ambiguous',
    question: 'which?',
    options: [{ label: 'go', value: 'go', args: { path: 'b' } }],
  },
  'is lost': { kind: 'lost', cause: 'connection_lost', message: 'gone' },
};

function toolOf({
  server,
  effect,
  takes,
  isIndependent,
}: Pick<Planned, 'server' | 'effect' | 'takes' | 'isIndependent'>): string {
  return `${server}.${effect}${takes}${isIndependent ? 'i' : ''}`;
}

function toTasks(plan: Plan): Task[] {
  // Needs go forwards and backwards in the written order, and never in a circle.
  const height = (index: number) => (index * 7919) % 101;
  return plan.map((planned, index) => {
    const needs = [...new Set(planned.needs)]
      .filter((need) => need < plan.length && height(need) < height(index))
      .map((need) => `t${need}`);
    const args: JsonObject = { index };
    if (planned.part === 'a by Ref') args.path = needs[0] ? `\${${needs[0]} | to_string('a')}` : 'a';
    else if (planned.part !== 'whole') args.path = planned.part;
    if (planned.isNeedByRef) args.uses = needs.map((need) => `\${${need}}`);
    return task(`t${index}`, toolOf(planned), { args, ...(!planned.isNeedByRef && { after: needs }) });
  });
}

function needsOf({ args, after = [] }: Task): string[] {
  const refs = [...JSON.stringify(args).matchAll(/\$\{(t\d+)/g)].map(([, id = '']) => id);
  return [...new Set([...refs, ...after])];
}

/** Two servers of two parts each. Every write leaves its name, and every call remembers what it found. */
function createWorld(plan: Plan) {
  const left: Record<string, string[]> = {};
  const found: Record<string, string> = {};
  const tries = new Map<number, number>();
  const visit = (index: number, path: Json | undefined): Json | CallOutcome => {
    const planned = plan[index];
    if (planned === undefined) throw new Error(`there is no task ${index}`);
    const { server, effect, isIndependent, fate } = planned;
    const number = (tries.get(index) ?? 0) + 1;
    tries.set(index, number);
    const trouble = fate === 'fails' || number === 1 ? TROUBLES[fate] : undefined;
    if (trouble !== undefined) return trouble;
    const places = (path === undefined ? ['a', 'b'] : [path]).map((part) => `${server} ${part}`);
    // Independent calls of one tool may overtake each other: what they find is left open, and they leave one name.
    if (!isIndependent) found[`t${index}`] = places.map((place) => left[place]?.join() ?? '').join('|');
    if (effect === 'read') return 'done';
    for (const place of places) {
      left[place] ??= [];
      left[place].push(isIndependent ? toolOf(planned) : `t${index}`);
    }
    return 'done';
  };
  return { left, found, visit };
}
type World = ReturnType<typeof createWorld>;

function toolsOf({ visit }: World): Record<string, FunctionTool> {
  const tools: Record<string, FunctionTool> = {};
  for (const server of SERVERS) {
    for (const effect of EFFECTS) {
      for (const takes of DURATIONS) {
        for (const isIndependent of [true, false]) {
          tools[toolOf({ server, effect, takes, isIndependent })] = {
            effect,
            takes,
            resource: 'path:{path}',
            ...(isIndependent && { independent: true }),
            run: ({ index, path }) => visit(Number(index), path),
          };
        }
      }
    }
  }
  return tools;
}

async function driveToTheEnd(house: House, run: string, parts: Partial<Parts> = {}): Promise<RunState> {
  for (;;) {
    const state = await house.drive(run, parts);
    if (state.end !== undefined) return state;
    const open = [...state.questions.values()].filter(({ answer }) => answer === undefined);
    if (open.length === 0) throw new Error('it has not ended, and asks no question');
    for (const { question } of open)
      await house.answer(run, question.id, question.kind === 'in_doubt' ? 'again' : 'go');
  }
}

/** One call after the other as written, except that what a task needs comes before it. */
function runAsWritten(plan: Plan, { visit }: World, givenUp: ReadonlySet<string>): void {
  const tasks = toTasks(plan);
  const succeeded = new Map<string, boolean>();
  const byId = new Map(tasks.map((one) => [one.id, one]));
  const run = (one: Task): void => {
    if (succeeded.has(one.id)) return;
    const needs = needsOf(one);
    for (const need of needs) run(byId.get(need) ?? one);
    const { index, path } = one.args;
    const known = typeof path === 'string' && path.startsWith('${') ? 'a' : path;
    const chosen = plan[Number(index)]?.fate === 'asks for b' ? 'b' : known;
    const tried = (at: Json | undefined) => visit(Number(index), at) === 'done';
    const isMade = !givenUp.has(one.id) && needs.every((need) => succeeded.get(need));
    succeeded.set(one.id, isMade && (tried(known) || tried(chosen)));
  };
  for (const one of tasks) run(one);
}

/** Tasks that were not called, because an answer would have made them come too late. */
function overtaken({ tasks }: RunState): Set<string> {
  const found = [...tasks.values()].filter(({ failure }) => failure?.kind === 'plan_error');
  return new Set(found.map(({ task: { id } }) => id));
}

describe('running in parallel', () => {
  it('has the result of the written order, with parts, independent writes, forward Refs, failures, retries and questions', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.constantFrom(1, 2, 100), async (plan, concurrency) => {
        const tasks = toTasks(plan);
        const parallel = createWorld(plan);
        const house = createHouse(toolsOf(parallel), DONE);
        const state = await driveToTheEnd(house, await house.start('go', tasks, { concurrency }));
        const written = createWorld(plan);
        runAsWritten(plan, written, overtaken(state));
        expect({ left: parallel.left, found: parallel.found }).toEqual({
          left: written.left,
          found: written.found,
        });
      }),
      { numRuns: rounds(500) },
    );
  });
});

/** Writes the plan down task by task, so many milliseconds for each, and answers when it is done. */
function slowWriter(tasks: readonly Task[], pace: number, { clock }: House): Mind {
  return {
    name: 'slow',
    async think({ state, onAction }) {
      if (state.tasks.size > 0)
        return { kind: 'decided', actions: [task('z', 'answer', { args: { text: 'done' } })] };
      for (const action of tasks) {
        await new Promise<void>((resolve) => clock.at(clock.now() + pace, resolve));
        onAction?.(action);
      }
      return { kind: 'decided', actions: tasks };
    },
  };
}

/** The most calls that were under way at one time. */
function mostAtOnce({ calls }: House['toolbox']): number {
  const changes = calls.flatMap(({ startedAt, endedAt = startedAt }) =>
    endedAt === startedAt
      ? []
      : [
          { at: startedAt, by: 1 },
          { at: endedAt, by: -1 },
        ],
  );
  let now = 0;
  let most = 0;
  for (const { by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}

describe('prefetch while the mind writes', () => {
  it('changes no result, no effect and no limit, whatever the plan and however slow the mind', async () => {
    let ahead = 0;
    await fc.assert(
      fc.asyncProperty(
        // Whether a choice comes too late for its place in the order depends on the time, and so on reading ahead.
        plans.map((plan) =>
          plan.map((one) => (one.fate === 'asks for b' ? { ...one, fate: 'asks' as const } : one)),
        ),
        fc.constantFrom(1, 2, 100),
        fc.constantFrom(0, 1, 5),
        async (plan, concurrency, pace) => {
          const tasks = toTasks(plan);
          const ends = [];
          for (const streamDispatch of [true, false]) {
            const world = createWorld(plan);
            const house = createHouse(toolsOf(world));
            const run = await house.start('go', undefined, { concurrency, streamDispatch });
            const state = await driveToTheEnd(house, run, { mind: slowWriter(tasks, pace, house) });
            expect(mostAtOnce(house.toolbox)).toBeLessThanOrEqual(concurrency);
            const startedAt = new Map(
              (await house.events(run)).flatMap((event) =>
                event.type === 'task_started' ? [[event.data.task, event.at] as const] : [],
              ),
            );
            ahead += house.toolbox.calls.filter(
              ({ call, startedAt: at }) => at < (startedAt.get(call.task) ?? 0),
            ).length;
            const outcomes = [...state.tasks.values()].map(({ task: { id }, status, result }) => ({
              id,
              status,
              result,
            }));
            ends.push({ left: world.left, found: world.found, outcomes });
          }
          expect(ends[0]).toEqual(ends[1]);
        },
      ),
      { numRuns: rounds(250) },
    );
    // Else this would hold of anything.
    expect(ahead).toBeGreaterThan(rounds(250));
  });
});
