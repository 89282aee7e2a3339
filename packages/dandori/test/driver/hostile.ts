import fc from 'fast-check';
import { answerQuestion } from '../../src/commands/answer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import type { Mind, Thought } from '../../src/mind/mind.ts';
import type { Event } from '../../src/model/event.ts';
import type { Json } from '../../src/model/json.ts';
import type { Question } from '../../src/model/question.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { Action } from '../../src/model/task.ts';
import { isStep } from '../../src/model/task.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { apply, fold } from '../../src/run/state/apply.ts';
import { hasEnded, type RunState, type TaskState } from '../../src/run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createStepClock, type StepClock } from '../../src/testing/step-clock.ts';
import type { Call } from '../../src/tools/toolbox.ts';
import { planView } from '../../src/views/plan.ts';
import { report } from '../../src/views/report.ts';
import { SETTINGS } from './house.ts';

/**
 * Names that are filled in when the mind is asked, so that what it says is not only nonsense: `#` is any task that there
 * is or that is said in this turn, `+` one that may be referred to, `-` one that may be changed, `@` a step, `!` a new name.
 */
const place = (sign: string) => fc.nat({ max: 5 }).map((number) => `<${sign}${number}>`);
const any = fc.oneof(place('#'), fc.constantFrom('s1', 't1', 't1_2', 'nobody'));
const sound = fc.oneof({ weight: 15, arbitrary: place('+') }, { weight: 1, arbitrary: any });
const changeable = fc.oneof({ weight: 6, arbitrary: place('-') }, { weight: 1, arbitrary: any });
const stepId = fc.oneof({ weight: 6, arbitrary: place('@') }, { weight: 1, arbitrary: any });
const fresh = fc.oneof({ weight: 20, arbitrary: place('!') }, { weight: 1, arbitrary: any });

const operation = fc.constantFrom(
  ...['a.get', 'a.get', 'b.fail', 'c.put', 'c.put', 'c.break', 'd.lose', 'e.flaky'],
  ...['task.generate_list', 'task.generate_list', 'a.got'],
);
const args = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: sound.map((one) => ({ n: `\${${one}}` })) },
  { weight: 1, arbitrary: sound.map((one) => ({ purpose: 'for', step: one })) },
);

function list<T>(item: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<T[]> {
  return fc.array(item, { maxLength });
}

const taskWith = (id: fc.Arbitrary<string>) =>
  fc
    .record({ id, operation, args, after: list(sound, 2), step: stepId, has: fc.nat({ max: 3 }) })
    .map(({ after, step, has, ...rest }) => ({
      ...rest,
      ...(has % 2 === 1 && { after }),
      ...(has > 1 && { step }),
    }));
const tasks = list(taskWith(fresh), 4);
const step = fc.record(
  { id: fresh, description: fc.constant('look'), after: list(sound, 2), tasks: list(taskWith(fresh), 2) },
  { requiredKeys: ['id', 'description'] },
);
const garbage = fc.constantFrom<Json>(null, 5, 'all', {}, [null], [[]]);

const own = (operation: string, args: fc.Arbitrary<unknown>): fc.Arbitrary<Action> =>
  args.map((one) => ({ id: 'own', operation, args: one as Action['args'] }));

const PROPOSE = fc.record(
  { steps: list(step), tasks, success_criteria: list(fc.constant('it is so'), 2) },
  { requiredKeys: ['steps'] },
);
const REVISE = fc.record(
  {
    reason: fc.constant('r'),
    replace: list(taskWith(changeable), 2),
    remove: list(changeable, 2),
    add: list(taskWith(fresh), 2),
    order: list(changeable),
  },
  { requiredKeys: [] },
);
const UPDATE = fc.record({ step: stepId, status: fc.constantFrom('completed', 'failed', 'odd') });
const ANSWER = fc.record({
  text: fc.constant('x'),
  achieved: fc.boolean(),
  criteria: fc.constant([{ met: true }]),
});

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: taskWith(fresh) as fc.Arbitrary<Action> },
  { weight: 3, arbitrary: own('plan.propose', PROPOSE) },
  { weight: 5, arbitrary: own('plan.revise', REVISE) },
  { weight: 2, arbitrary: own('plan.update_step', UPDATE) },
  { weight: 1, arbitrary: own('reflect', fc.constant({ status: 'partial' })) },
  { weight: 1, arbitrary: own('ask', fc.constant({ question: 'which?' })) },
  { weight: 1, arbitrary: own('answer', ANSWER) },
  {
    weight: 1,
    arbitrary: own('plan.revise', fc.record({ replace: garbage, remove: garbage }, { requiredKeys: [] })),
  },
);

const beginning: fc.Arbitrary<Action> = fc.oneof(
  taskWith(fresh) as fc.Arbitrary<Action>,
  own('plan.propose', PROPOSE),
);

/** What the mind says at each turn; when it has said all, it answers. */
export type Turns = readonly (readonly Action[])[];
export const turns: fc.Arbitrary<Turns> = fc
  .tuple(
    fc.array(beginning, { minLength: 1, maxLength: 3 }),
    fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
  )
  .map(([first, others]) => [first, ...others]);

export const settings: fc.Arbitrary<Settings> = fc
  .record({
    mode: fc.constantFrom<Settings['mode'][]>('auto', 'planned', 'hierarchical', 'adaptive', 'direct'),
    approval: fc.constantFrom<Settings['approval'][]>('never', 'never', 'writes', 'plan'),
    concurrency: fc.integer({ min: 1, max: 4 }),
    steps: fc.integer({ min: 1, max: 6 }),
    revisions: fc.integer({ min: 0, max: 4 }),
    reflects: fc.boolean(),
    interval: fc.integer({ min: 1, max: 4 }),
    repairs: fc.constantFrom(2, 8),
  })
  .map(({ mode, approval, concurrency, steps, revisions, reflects, interval, repairs }) => ({
    ...SETTINGS,
    mode,
    approval,
    concurrency,
    repairs,
    limits: { ...SETTINGS.limits, steps, calls: 16, tasks: 25 },
    planning: {
      strategy: 'chain_of_thought',
      decomposition: 'moderate',
      revisions,
      ...(reflects && { reflection: { onError: true, interval } }),
    },
  }));

const policy = fc.constantFrom<Settings['approval'][]>('never', 'destructive', 'writes', 'plan', 'always');

/** The same, with a policy for all and others for servers and tools. */
export const askingSettings: fc.Arbitrary<Settings> = fc
  .tuple(
    settings,
    fc.constantFrom<Settings['approval'][]>('plan', 'plan', 'writes', 'always'),
    fc.dictionary(fc.constantFrom('a', 'c', 'd', 'a.get', 'c.put', 'c.break', 'd.lose', 'e.flaky'), policy, {
      maxKeys: 3,
    }),
  )
  .map(([given, approval, approvals]) => ({ ...given, approval, approvals }));

/** How often each write took effect, by its key. */
export type World = Map<string, number>;

function tools(world: World): Record<string, FunctionTool> {
  const put: FunctionTool['run'] = (_, { key }) => {
    world.set(key, (world.get(key) ?? 0) + 1);
    return { n: world.size };
  };
  const failed = { kind: 'failed', failure: { kind: 'tool_error', message: 'no' } } as const;
  return {
    'a.get': { takes: 3, run: () => ({ n: 1 }) },
    'b.fail': { takes: 2, run: () => failed },
    'c.put': { takes: 5, effect: 'write', run: put },
    'c.break': { takes: 1, effect: 'write', run: () => failed },
    'e.flaky': { takes: 1, faults: [{ kind: 'fail', retryable: true }], run: () => ({ n: 7 }) },
    'd.lose': {
      takes: 4,
      effect: 'write',
      run: (given, call) => {
        put(given, call);
        return { kind: 'lost', cause: 'connection_lost', message: 'gone' };
      },
    },
  };
}

export interface Life {
  readonly events: readonly Event[];
  readonly state: RunState;
  /** What is wrong; empty where all is well. */
  readonly wrong: readonly string[];
}

export interface Living {
  readonly turns: Turns;
  readonly world: World;
  /** What a person says to the approval with this number; a yes without it. */
  readonly says?: (question: Question, number: number) => Json;
  /** Called before each call of a tool, with the journal as it is on disk. Returns what is wrong with it. */
  readonly inspect?: (call: Call, events: readonly Event[]) => string[];
  /** Called before each drive. */
  /** Called up to three times where the run is exhausted. */
  readonly again?: ((parts: Parts) => Promise<void>) | undefined;
  readonly meanwhile?: (parts: Parts, clock: StepClock) => Promise<void> | void;
}

const MOST_TIMES = 60;

/** Drives to the end from these events on, with a person who answers truthfully. */
export async function live(
  events: readonly Event[],
  { turns: said, world, meanwhile, again, says, inspect }: Living,
): Promise<Life> {
  const run = events[0]?.run ?? '';
  const wrong: string[] = [];
  const clock = createStepClock((events.at(-1)?.at ?? 0) + 1_000);
  const journal = createMemoryJournal();
  await journal.create(run, events);
  const toolbox = createFunctionToolbox(clock, tools(world));
  let asked = 0;
  const parts: Parts = {
    journal,
    blobs: createMemoryBlobs(),
    clock,
    toolbox: {
      ...toolbox,
      call: async (call) => {
        if (inspect !== undefined) wrong.push(...inspect(call, await journal.read(run)));
        return toolbox.call(call);
      },
    },
    mind: mindOf(said, wrong),
    check: () => [],
    secrets: [],
    driver: 'test',
  };
  let raised = 0;
  for (let times = 0; times < MOST_TIMES; times++) {
    await meanwhile?.(parts, clock);
    const state = await clock.runUntil(drive(run, parts));
    const open = [...state.questions.values()].filter(({ answer }) => answer === undefined);
    if (state.end?.outcome === 'exhausted' && again !== undefined && raised++ < 3) {
      await again(parts);
      continue;
    }
    if (state.end !== undefined) {
      const all = await journal.read(run);
      return { events: all, state, wrong: [...wrong, ...whatIsWrong(all, state, world)] };
    }
    if (open.length === 0) return { events: [], state, wrong: [...wrong, 'it waits for nothing'] };
    for (const { question } of open) {
      const isApproval = question.kind === 'approval' || question.kind === 'plan_approval';
      const word = isApproval && says !== undefined ? says(question, asked++) : truth(question, run, world);
      await answerQuestion({ run, question: question.id, answer: word }, parts);
    }
  }
  throw new Error('it does not end');
}

function truth({ kind, task: id }: Question, run: string, world: World): Json {
  if (kind === 'approval' || kind === 'plan_approval') return 'approve';
  if (kind === 'in_doubt') return world.has(`${run}/${id}`) ? 'happened' : 'again';
  return 'this one';
}

/** Goes by how many decisions there were, and not by how often it was asked: it is the same after a crash. */
function mindOf(said: Turns, wrong: string[]): Mind {
  return {
    name: 'hostile',
    async think(thought) {
      wrong.push(...stranded(thought));
      const answer: Action = {
        id: 'own',
        operation: 'answer',
        args: { text: 'done', criteria: [{ met: true }, { met: true }] },
      };
      const turn = said[thought.state.decisions.length];
      return { kind: 'decided', actions: turn === undefined ? [answer] : filledIn(turn, thought.state) };
    },
  };
}

function filledIn(turn: readonly Action[], state: RunState): Action[] {
  const all = [...state.tasks.values()];
  const names = (some: readonly TaskState[]) => some.map(({ task }) => task.id);
  const pools: Record<string, readonly string[]> = {
    '+': names(all.filter(({ task, status }) => status === 'succeeded' || isStep(task))),
    '-': names(all.filter(({ status }) => ['failed', 'blocked', 'pending', 'ready'].includes(status))),
    '@': names(all.filter(({ task }) => isStep(task))),
    '#': names(all),
  };
  const written: string[] = [];
  const fill = (_: string, sign: string, number: string) => {
    if (sign === '!') {
      written.push(`n${state.decisions.length}_${written.length}`);
      return written.at(-1) ?? '';
    }
    const earlier = sign === '#' ? written : sign === '-' ? [] : written.slice(0, -1);
    const pool = [...(pools[sign] ?? []), ...earlier];
    return pool[Number(number) % pool.length] ?? '';
  };
  const text = JSON.stringify(turn).replaceAll(/<([#+@!-])(\d)>/g, fill);
  // Where there is none of the kind, nothing is said of it.
  return JSON.parse(text, (key, value: unknown) => {
    if (Array.isArray(value)) return value.filter((one) => one !== undefined);
    return (value === '' && key !== 'id') || value === '${}' ? undefined : value;
  }) as Action[];
}

/** Where the mind is asked what next, everything has ended: what still waits then would wait for ever. */
function stranded({ purpose, state }: Thought): string[] {
  if (purpose !== 'act') return [];
  return [...state.tasks.values()]
    .filter(({ status }) => !hasEnded(status))
    .map(({ task: { id }, status }) => `${id} is ${status}, and no driver will ever continue it`);
}

function whatIsWrong(events: readonly Event[], state: RunState, world: World): string[] {
  const again = fold(events);
  return [
    ...brokenLaws(events),
    ...[...world].filter(([, times]) => times > 1).map(([key, times]) => `${key} happened ${times} times`),
    ...lostResults(events),
    ...(again !== undefined && shown(again) === shown(state) ? [] : ['another fold gives another state']),
    ...views(state),
  ];
}

function lostResults(events: readonly Event[]): string[] {
  const results = new Map<string, string>();
  const wrong: string[] = [];
  let state: RunState | undefined;
  for (const event of events) {
    state = apply(state, event);
    for (const [id, { status, result }] of state.tasks)
      if (status === 'succeeded' && !results.has(id)) results.set(id, JSON.stringify(result));
    for (const [id, result] of results) {
      const now = state.tasks.get(id);
      if (now?.status !== 'succeeded' || JSON.stringify(now.result) !== result)
        wrong.push(`${id} had succeeded and is ${now?.status} after event ${event.seq} (${event.type})`);
    }
    if (wrong.length > 0) return wrong;
  }
  return wrong;
}

/** All that can be seen of a state. */
function shown({ tasks, indexes, ...rest }: RunState): string {
  const { ready, retrying, ...sets } = indexes;
  return JSON.stringify(
    [rest, [...tasks.values()].map(plain), sets, ready.size, retrying.size],
    (key, value: unknown) => {
      // Holds the task itself.
      if (key === 'queued') return value !== undefined;
      if (value instanceof Map || value instanceof Set) return [...value];
      return value;
    },
  );
}

function plain({ links, gates, ...task }: TaskState): object {
  const { opens, ...others } = links;
  return { ...task, links: { ...others, opens: opens.length }, gates: gates.map(({ closed }) => closed) };
}

function views(state: RunState): string[] {
  const view = planView(state);
  const { tasks, outcome } = report(state);
  const wrong: string[] = [];
  if (outcome === 'waiting' || outcome === 'open') wrong.push(`the report says ${outcome}`);
  for (const [id, { status }] of Object.entries(tasks))
    if (['pending', 'ready', 'running', 'waiting', 'expanding'].includes(status))
      wrong.push(`the report says that ${id} is ${status}, and the run has ended`);
  for (const step of view?.steps ?? []) {
    for (const id of step.tasks)
      if (!state.tasks.has(id)) wrong.push(`${step.id} has a task ${id} that is not there`);
    if (step.status === 'completed' && step.tasks.some((id) => isOpenTask(state, id)))
      wrong.push(`${step.id} is completed, and not all of its tasks are`);
  }
  const places = [...(view?.tasks ?? []), ...(view?.steps.flatMap(({ tasks: of }) => of) ?? [])];
  for (const {
    task: { id },
    isSuperseded,
  } of state.tasks.values()) {
    if (isSuperseded || view?.steps.some((one) => one.id === id)) continue;
    const times = places.filter((one) => one === id).length;
    if (times !== 1) wrong.push(`the plan shows ${id} ${times} times`);
  }
  return wrong;
}

function isOpenTask(state: RunState, id: string): boolean {
  const one = state.tasks.get(id);
  return one !== undefined && one.status !== 'succeeded' && !one.isSuperseded;
}
