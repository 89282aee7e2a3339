import type { Event, Fact } from '../packages/dandori/src/model/event.ts';
import type { Task } from '../packages/dandori/src/model/task.ts';
import type { Tool } from '../packages/dandori/src/model/tool.ts';
import { compile } from '../packages/dandori/src/plan/compile.ts';
import { decide } from '../packages/dandori/src/run/decide.ts';
import { apply, fold } from '../packages/dandori/src/run/state/apply.ts';
import type { RunState } from '../packages/dandori/src/run/state/state.ts';
import { collectGarbage } from './garbage.ts';
import { SETTINGS } from './house.ts';
import { median, type Row } from './row.ts';

const SIZES = [100, 10_000, 100_000];
const WORKERS = 16;
/** Tasks before the first that count, so that a small plan is not measured on cold code and a large one on warm. */
const WARM = 30_000;
const ROUNDS = 7;

const tool: Tool = {
  name: 'bench.read',
  server: 'bench',
  description: '',
  inputSchema: {},
  effect: 'read',
  trusted: true,
};

/** Deciding and folding alone, without calls and disk: does a task cost the same in a large plan as in a small one? */
export async function scheduling(): Promise<Row[]> {
  const costs = SIZES.map((size) => ({ size, each: (cost(size) * 1000) / size }));
  const smallest = Math.min(...costs.map(({ each }) => each));
  const largest = Math.max(...costs.slice(1).map(({ each }) => each));
  return [
    ...costs.map(({ size, each }) => ({
      what: `schedule, ${size.toLocaleString('en')} tasks`,
      figure: `${each.toFixed(1)} µs`,
      note: 'a task, deciding and folding',
    })),
    {
      what: 'schedule: large plan ÷ small plan',
      figure: `${(largest / smallest).toFixed(2)}×`,
      aim: 'aim ≤ 2.00×',
    },
  ];
}

function cost(size: number): number {
  for (let warm = 0; warm < WARM; warm += size) once(size);
  return median(Array.from({ length: ROUNDS }, () => once(size, collectGarbage)));
}

/** What compiling has left behind is not what scheduling costs, and may be taken away before. */
function once(size: number, tidy = () => {}): number {
  const tasks = Array.from(
    { length: size },
    (_, index): Task => ({
      id: `t${index}`,
      operation: 'bench.read',
      args: index < 10 ? {} : { x: `\${t${Math.floor(index / 3)}}` },
    }),
  );
  const surroundings = {
    tools: new Map([[tool.name, tool]]),
    check: () => [],
    mode: 'planned' as const,
    order: [],
    maxTasks: size,
    done: new Map(),
    missing: new Map(),
  };
  const compiled = compile(tasks, surroundings);
  if (!compiled.ok) throw new Error('The bench plan is wrong.');
  let state = started({ tasks, compiled });
  tidy();
  const start = performance.now();
  const running: string[] = [];
  for (let done = 0; done < size; ) {
    for (const intention of decide(state, 1)) {
      if (intention.type !== 'start_task') continue;
      running.push(intention.task);
      state = apply(
        state,
        event(state, { type: 'task_started', data: { task: intention.task, attempt: 1, key: '' } }),
      );
    }
    const task = running.shift();
    if (task === undefined) throw new Error('Nothing runs and not all is done.');
    state = apply(
      state,
      event(state, { type: 'task_succeeded', data: { task, attempt: 1, result: 1, ms: 1 } }),
    );
    done++;
  }
  return performance.now() - start;
}

function started({
  tasks,
  compiled,
}: {
  tasks: Task[];
  compiled: Extract<ReturnType<typeof compile>, { ok: true }>;
}): RunState {
  const facts: Fact[] = [
    {
      type: 'run_started',
      data: {
        goal: 'bench',
        settings: { ...SETTINGS, concurrency: WORKERS },
        mind: 'built-in',
        planGiven: true,
      },
    },
    { type: 'plan_proposed', data: { version: 1, by: 'user', tasks } },
    { type: 'plan_approved', data: { version: 1, tasks: compiled.tasks } },
  ];
  const state = fold(
    facts.map((fact, index) => ({ v: 2, run: 'bench', seq: index + 1, at: 1, ...fact }) as Event),
  );
  if (state === undefined) throw new Error('The bench run has no events.');
  return state;
}

function event(state: RunState, fact: Fact): Event {
  return { v: 2, run: 'bench', seq: state.seq + 1, at: 1, ...fact } as Event;
}
