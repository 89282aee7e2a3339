import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import { addBudget, cancelRun } from '../../src/commands/steer.ts';
import type { Event } from '../../src/model/event.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { Task } from '../../src/model/task.ts';
import { fold } from '../../src/run/state/apply.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import type { Call } from '../../src/tools/toolbox.ts';
import { rounds } from '../long.ts';
import { askingSettings, live, settings, turns, type World } from './hostile.ts';

/** The same plans every time, so that a change is judged by what it changes; `SEED=2 npx vitest run …` tries others. */
const LIMITS = { numRuns: rounds(300), seed: Number(process.env.SEED ?? 1) };

describe('a mind that plans, changes and ends anything in any order', () => {
  it('ends, and nothing is repeated, lost or left waiting', async () => {
    await fc.assert(
      fc.asyncProperty(turns, settings, async (said, given) => {
        const { wrong } = await live(await begin(given), { turns: said, world: new Map() });
        expect(wrong).toEqual([]);
      }),
      LIMITS,
    );
  });

  it('does so after a crash at any event', async () => {
    await fc.assert(
      fc.asyncProperty(turns, settings, fc.nat(), fc.boolean(), async (said, given, at, happened) => {
        const { events } = await live(await begin(given), { turns: said, world: new Map() });
        const prefix = events.slice(0, 1 + (at % (events.length - 1)));
        const { wrong } = await live(prefix, { turns: said, world: worldAfter(prefix, happened) });
        expect(wrong).toEqual([]);
      }),
      LIMITS,
    );
  });

  it('does so when it is cancelled in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(turns, settings, fc.nat({ max: 30 }), async (said, given, after) => {
        const begun = await begin(given);
        const run = begun[0]?.run ?? '';
        const { wrong } = await live(begun, {
          turns: said,
          world: new Map(),
          meanwhile: (parts, clock) => {
            // It may have ended before.
            const cancel = () => cancelRun({ run, reason: 'enough' }, parts).catch(() => {});
            clock.at(clock.now() + after, () => void cancel());
          },
        });
        expect(wrong).toEqual([]);
      }),
      LIMITS,
    );
  });

  it('also at its time limit, and again with higher limits', async () => {
    await fc.assert(
      fc.asyncProperty(turns, settings, fc.integer({ min: 1, max: 30 }), async (said, given, time) => {
        const begun = await begin({ ...given, limits: { ...given.limits, time } });
        const run = begun[0]?.run ?? '';
        const more = { run, steps: 2, calls: 2, time: 10, revisions: 1 };
        const { wrong } = await live(begun, {
          turns: said,
          world: new Map(),
          again: (parts) => addBudget(more, parts),
          meanwhile: (parts, clock) => {
            clock.at(clock.now() + 3, () => void addBudget(more, parts).catch(() => {}));
          },
        });
        expect(wrong).toEqual([]);
      }),
      LIMITS,
    );
  });
});

describe('a mind that plans anything, and a user who approves some of it', () => {
  it('no call that needs approval reaches a tool without it', async () => {
    let approved = 0;
    await fc.assert(
      fc.asyncProperty(turns, askingSettings, fc.array(fc.nat({ max: 5 })), async (said, given, words) => {
        const { wrong } = await live(await begin(given), {
          turns: said,
          world: new Map(),
          says: ({ kind, context }, number) => {
            const word = words[number % (words.length || 1)] ?? 1;
            if (word === 0) return 'reject';
            const { tasks } = context as { tasks?: Task[] };
            // One task is left out: tasks that refer to it are then wrong, and the others run.
            const isFree =
              tasks !== undefined && !JSON.stringify(tasks).includes('${') && !tasks.some(isBound);
            return word === 1 && kind === 'plan_approval' && isFree && tasks.length > 1
              ? { tasks: tasks.slice(1) }
              : 'approve';
          },
          inspect: (call, events) => {
            const problems = unapproved(call, events, given);
            if (problems.length === 0) approved++;
            return problems;
          },
        });
        expect(wrong).toEqual([]);
      }),
      LIMITS,
    );
    expect(approved).toBeGreaterThan(0);
  });
});

function isBound({ after, step, operation }: Task): boolean {
  return after !== undefined || step !== undefined || operation === 'task.generate_list';
}

const EFFECTS: Record<string, 'read' | 'write'> = { 'c.put': 'write', 'c.break': 'write', 'd.lose': 'write' };

/** Finds in the journal, without the code of the core, which answer approved this call or its plan. */
function unapproved({ operation, task, args }: Call, events: readonly Event[], given: Settings): string[] {
  const server = operation.split('.')[0] ?? '';
  const policy = given.approvals?.[operation] ?? given.approvals?.[server] ?? given.approval;
  const writes = EFFECTS[operation] === 'write';
  if (policy === 'never' || policy === 'destructive' || (!writes && policy !== 'always')) return [];
  const yes = events.flatMap((event) => {
    if (event.type !== 'question_answered' || event.data.answer === 'reject') return [];
    const asked = events.find(
      (one) => one.type === 'question_asked' && one.data.question.id === event.data.question,
    );
    return asked?.type === 'question_asked'
      ? [{ question: asked.data.question, answer: event.data.answer }]
      : [];
  });
  const isAlone = yes.some(
    ({ question }) =>
      question.kind === 'approval' &&
      question.task === task &&
      JSON.stringify((question.context as { args: unknown }).args) === JSON.stringify(args),
  );
  const inPlan = yes.some(({ question, answer }) => {
    if (question.kind !== 'plan_approval') return false;
    const { tasks } = (answer === 'approve' ? question.context : answer) as unknown as { tasks: Task[] };
    return tasks.some((one) => one.id === task && one.operation === operation);
  });
  return isAlone || (policy === 'plan' && inPlan) ? [] : [`${task} ${operation} was called without a yes`];
}

async function begin(given: Settings): Promise<Event[]> {
  const { events } = await startRun(
    { goal: 'go', settings: given },
    {
      journal: createMemoryJournal(),
      clock: createStepClock(),
      secrets: [],
      mind: createScriptedMind([]),
      toolbox: { tools: () => new Map(), missing: () => [] },
      blobs: createMemoryBlobs(),
      check: () => [],
    },
  );
  return [...events];
}

/** The world after a crash at this point: running calls may have taken effect or not. */
function worldAfter(events: readonly Event[], happened: boolean): World {
  const state = fold(events);
  const world: World = new Map();
  for (const [id, { status, isInDoubt, task }] of state?.tasks ?? []) {
    const { operation } = task;
    if (operation !== 'c.put' && operation !== 'd.lose') continue;
    // This one has always happened when its answer is lost.
    const wasLost = operation === 'd.lose' && (isInDoubt || status === 'failed');
    const isUnderWay = status === 'running' || isInDoubt;
    if (status === 'succeeded' || wasLost || (happened && isUnderWay)) world.set(`${state?.run}/${id}`, 1);
  }
  return world;
}
