import ELK from 'elkjs/lib/elk.bundled.js';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../dandori/src/run/state/apply.ts';
import { edgesBetween, faceOf, nodesOf } from '../../src/run/graph/elements.ts';
import { neighbourOf } from '../../src/run/graph/keys.ts';
import { layoutFrom, layoutInput } from '../../src/run/graph/layout.ts';
import { layoutByLevels } from '../../src/run/graph/rough-layout.ts';
import { removedTasks, type Structure, structureOf } from '../../src/run/graph/structure.ts';
import { mergedState, subGoalOf, withSubGoals } from '../../src/run/graph/sub-goals.ts';
import { ANSWER, keptRuns, type Lived, live } from '../lived.ts';

const NOTHING_GONE = { removed: [], superseded: false };
const written = ({ edges }: Structure) => edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`).sort();

const call = (id: string, operation: string, args = {}, after?: string[]) => ({
  id,
  operation,
  args,
  ...(after && { after }),
});

/** More tasks than are listed one by one. */
const MANY = 20;

async function kept(name: string, version?: string): Promise<Lived> {
  const run = (await keptRuns(version)).get(name);
  if (run === undefined) throw new Error(`There is no journal ${name}.`);
  return run;
}

describe('the graph of a plan', () => {
  it('draws the tasks of a sub-goal inside of the task that started it', async () => {
    const { state } = await kept('with-a-sub-goal', '0.3.0');
    const goals = new Map([['a', (await kept('with-a-sub-goal--a', '0.3.0')).state]]);
    const structure = withSubGoals(structureOf(state, NOTHING_GONE), goals);
    expect(structure.nodes.map(({ id, parent, isGroup }) => [id, parent, isGroup])).toEqual([
      ['a', undefined, true],
      ['a › d', 'a', false],
    ]);
    const merged = mergedState(state, goals);
    const faces = structure.nodes.map((node) => faceOf(node, merged));
    expect(faces).toMatchObject([
      { title: 'double it', status: 'succeeded', done: 1, total: 1 },
      { operation: 'double', status: 'succeeded' },
    ]);
    expect(subGoalOf('a › d', goals)).toBe('with-a-sub-goal--a');
    expect(subGoalOf('a', goals)).toBeUndefined();
    // Without its run the task is drawn as before.
    expect(withSubGoals(structure, new Map())).toBe(structure);
  });

  it('distinguishes edges for results, for order and for shared resources', async () => {
    const { state } = await live({
      replies: [ANSWER],
      tasks: [
        call('a', 'books.find'),
        call('b', 'shelf.put', { q: '${a.title}' }),
        call('c', 'books.find', {}, ['a']),
        call('d', 'shelf.put'),
      ],
    });
    expect(written(structureOf(state, NOTHING_GONE))).toEqual(['a after c', 'a data b', 'b hazard d']);
  });

  it('has the same edges and the effects for a plan that waits for approval', async () => {
    const tasks = [
      call('a', 'books.find'),
      call('b', 'shelf.put', { q: '${a.title}' }),
      call('c', 'books.find', {}, ['a']),
      call('d', 'shelf.put'),
    ];
    const { state } = await live({ replies: [tasks], settings: { approval: 'plan', mode: 'planned' } });
    const structure = structureOf(state, NOTHING_GONE);
    expect(written(structure)).toEqual(['a after c', 'a data b', 'b hazard d']);
    const faces = structure.nodes.map((node) => faceOf(node, state));
    expect(faces.map((face) => [face?.effect, face?.standing])).toEqual([
      ['read', 'proposed'],
      ['write', 'proposed'],
      ['read', 'proposed'],
      ['write', 'proposed'],
    ]);
  });

  it('draws n + m edges if n tasks wait for the same m', async () => {
    const named = (name: string, operation: string) =>
      Array.from({ length: MANY }, (_, n) => call(`${name}${n}`, operation));
    const independent = { effect: 'write', independent: true } as const;
    const { state } = await live({
      replies: [ANSWER],
      tools: { 'shelf.add': { ...independent, run: () => ({}) } },
      tasks: [...named('r', 'shelf.read'), ...named('w', 'shelf.add')],
    });
    const { nodes, edges } = structureOf(state, NOTHING_GONE);
    expect(nodes.filter(({ kind }) => kind === 'gate')).toHaveLength(1);
    expect(edges).toHaveLength(2 * MANY);
    expect(edges.every(({ kind }) => kind === 'hazard')).toBe(true);
  });

  it('draws the tasks of a step inside it, and shared dependencies once', async () => {
    const { state } = await kept('steps-and-forked');
    const structure = structureOf(state, NOTHING_GONE);
    const parents = structure.nodes.map(({ id, parent, isGroup }) => [id, parent, isGroup]);
    expect(parents).toContainEqual(['s1', undefined, true]);
    expect(parents).toContainEqual(['a', 's1', false]);
    expect(parents).toContainEqual(['b', 's2', false]);
    expect(written(structure)).toEqual(['a data b', 's1 after s2']);
  });

  it('shows replaced tasks only on request', async () => {
    const { state, events } = await kept('revised-and-rated');
    const ids = (structure: Structure) => structure.nodes.map(({ id }) => id);
    const without = ids(structureOf(state, NOTHING_GONE));
    const all = ids(structureOf(state, { removed: removedTasks(events), superseded: true }));
    const gone = all.filter((id) => !without.includes(id));
    expect(gone).toEqual(['c']);
    expect(state.tasks.get('c')?.isSuperseded).toBe(true);
  });

  it('remembers a task that a later plan removed before it started', () => {
    const tasks = ['a', 'b'].map((id) => call(id, 'books.find'));
    const facts = [
      { type: 'plan_proposed', data: { version: 1, by: 'mind', tasks } },
      { type: 'plan_approved', data: { version: 1, tasks: [] } },
      {
        type: 'plan_revised',
        data: { version: 2, by: 'mind', removes: ['a', 'b'], tasks: [tasks[1]], reason: 'x', changes: [] },
      },
      { type: 'plan_rejected', data: { version: 2, diagnostics: [] } },
    ];
    const events = facts.map((fact, index) => ({ v: 1, run: 'r', seq: index + 1, at: 0, ...fact }));
    const asEvents = (list: unknown) => list as Lived['events'];
    expect(removedTasks(asEvents(events))).toEqual([]);
    const accepted = [...events.slice(0, 3), { ...events[1], seq: 4 }];
    expect(removedTasks(asEvents(accepted)).map(({ id }) => id)).toEqual(['a']);
  });
});

describe('an earlier state in a later layout', () => {
  it('draws only the tasks of that state, and no loose edges or gates', async () => {
    const runs = [...(await keptRuns()).values()];
    const named = (name: string, operation: string) =>
      Array.from({ length: MANY }, (_, n) => call(`${name}${n}`, operation));
    const tools = { 'shelf.add': { effect: 'write', independent: true, run: () => ({}) } } as const;
    runs.push(
      await live({
        replies: [ANSWER],
        tools,
        tasks: [...named('r', 'shelf.read'), ...named('w', 'shelf.add')],
      }),
    );
    let missing = 0;
    for (const { events, state } of runs) {
      const structure = structureOf(state, { removed: [], superseded: true });
      const laidOut = { structure, layout: layoutByLevels(structure, 'right') };
      for (const { seq } of events) {
        const then = fold(events.slice(0, seq));
        if (then === undefined) continue;
        const nodes = nodesOf(laidOut, then, { selected: undefined, active: undefined, before: new Map() });
        const drawn = new Set(nodes.map(({ id }) => id));
        const edges = edgesBetween(nodes, structure);
        for (const { from, to } of edges) expect([drawn.has(from), drawn.has(to)]).toEqual([true, true]);
        for (const { id, type } of nodes)
          if (type === 'gate') expect(edges.some(({ from }) => from === id)).toBe(true);
        if (edges.length < structure.edges.length) missing++;
      }
    }
    expect(missing).toBeGreaterThan(0);
  });
});

describe('the layout of a plan', () => {
  it('places each task inside its step, and moves the keyboard along the edges', async () => {
    const { state } = await kept('steps-and-forked');
    const structure = structureOf(state, NOTHING_GONE);
    const layout = layoutFrom(await new ELK().layout(layoutInput(structure, 'right')), 'right');
    const [step, task] = [layout.places.get('s1'), layout.places.get('a')];
    if (step === undefined || task === undefined) throw new Error('Both have a place.');
    expect(task.x).toBeGreaterThan(step.x);
    expect(task.x + task.width).toBeLessThan(step.x + step.width);
    expect([...layout.routes.keys()].sort()).toEqual(['a>b', 's1>s2']);
    expect(neighbourOf('a', 'behind', { structure, layout })).toBe('b');
    expect(neighbourOf('b', 'before', { structure, layout })).toBe('a');
    expect(neighbourOf('b', 'behind', { structure, layout })).toBeUndefined();
  });
});

describe('the rough layout', () => {
  it('puts tasks after their dependencies, steps around their tasks, and overlaps nothing', async () => {
    for (const { state } of (await keptRuns()).values()) {
      const structure = structureOf(state, { removed: [], superseded: true });
      const { places, routes } = layoutByLevels(structure, 'right');
      expect([...places.keys()].sort()).toEqual(structure.nodes.map(({ id }) => id).sort());
      expect(routes.size).toBe(structure.edges.length);
      const place = (id: string) => places.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
      const parents = new Map(structure.nodes.map(({ id, parent }) => [id, parent]));
      for (const { from, to } of structure.edges)
        if (parents.get(from) === parents.get(to))
          expect(place(from).x + place(from).width).toBeLessThan(place(to).x);
      for (const { id, parent } of structure.nodes) {
        const [here, around] = [place(id), place(parent ?? '')];
        if (parent !== undefined) {
          expect(here.x).toBeGreaterThan(around.x);
          expect(here.y + here.height).toBeLessThan(around.y + around.height);
        }
        for (const other of structure.nodes) {
          if (other.id === id || other.parent !== parent) continue;
          const there = place(other.id);
          const isApart =
            here.x + here.width <= there.x ||
            there.x + there.width <= here.x ||
            here.y + here.height <= there.y ||
            there.y + there.height <= here.y;
          expect(isApart, `${id} and ${other.id}`).toBe(true);
        }
      }
    }
  });
});
