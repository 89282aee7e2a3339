import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/adapters/journal/memory.ts';
import { fold } from '../../src/core/apply.ts';
import type { Event } from '../../src/domain/event.ts';
import type { Settings } from '../../src/domain/settings.ts';
import { addBudget, cancelRun, startRun } from '../../src/engine/inbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { live, settings, turns, type World } from './hostile.ts';

/** The same plans every time, so that a change is judged by what it changes; `SEED=2 npx vitest run …` tries others. */
const LIMITS = { numRuns: 150, seed: Number(process.env.SEED ?? 1) };

describe('a mind that plans, changes and ends anything in any order', () => {
  it('comes to an end, and nothing is done twice, lost or left waiting', async () => {
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

  it('does so when its time is up, and again with more of everything', async () => {
    await fc.assert(
      fc.asyncProperty(turns, settings, fc.nat({ max: 30 }), async (said, given, time) => {
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

async function begin(given: Settings): Promise<Event[]> {
  const journal = createMemoryJournal();
  const parts = { journal, clock: createStepClock(), secrets: [], mind: createScriptedMind([]) };
  return journal.read(await startRun({ goal: 'go', settings: given }, parts));
}

/** What a crash after these events leaves behind: what was under way may have happened or not. */
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
