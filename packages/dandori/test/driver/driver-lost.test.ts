import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { replayRun } from '../../src/history/replay.ts';
import type { Mind } from '../../src/mind/mind.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { Effect } from '../../src/model/tool.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import type { CallOutcome, Toolbox } from '../../src/tools/toolbox.ts';
import { DONE, SETTINGS, task } from './house.ts';

type Answer = CallOutcome | 'die';

const UNAVAILABLE: CallOutcome = {
  kind: 'failed',
  failure: { kind: 'unavailable', message: 'server shop is not running', retryable: true },
};
const GOOD: CallOutcome = { kind: 'succeeded', result: 'good' };

/** A run whose driver dies in the middle of a call or a thought, as often as these say, and is taken up again. */
function openPlace(
  answers: Answer[],
  { effect = 'idempotent', mind }: { effect?: Effect; mind?: Mind } = {},
) {
  let die = () => {};
  const tool = {
    name: 'shop.put',
    server: 'shop',
    description: '',
    inputSchema: { type: 'object' },
    effect,
    trusted: true,
  };
  const tools = new Map([[tool.name, tool]]);
  const toolbox: Toolbox = {
    tools: () => tools,
    missing: () => [],
    async call({ signal }) {
      const answer = answers.shift() ?? GOOD;
      if (answer !== 'die') return answer;
      const gone = new Promise((resolve) => signal.addEventListener('abort', resolve));
      die();
      await gone;
      return { kind: 'lost', cause: 'cancelled', message: '' };
    },
    async close() {},
  };
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock: systemClock,
    toolbox,
    mind: mind ?? createScriptedMind(DONE),
    check: () => [],
    secrets: [],
    driver: 'test',
  };
  async function live(run: string): Promise<RunState> {
    const death = new AbortController();
    die = () => death.abort();
    return drive(run, parts, { soon: death.signal, now: death.signal });
  }
  return {
    parts,
    die: () => die(),
    start: async (settings: Partial<Settings['task']> = {}, limits: Partial<Settings['limits']> = {}) =>
      (
        await startRun(
          {
            goal: 'put',
            ...(mind === undefined && { tasks: [task('t1', 'shop.put')] }),
            settings: {
              ...SETTINGS,
              limits: { ...SETTINGS.limits, ...limits },
              task: { ...SETTINGS.task, attempts: 2, backoff: 1, restarts: 5, ...settings },
            },
          },
          parts,
        )
      ).run,
    /** Until it has ended, or a person is asked. */
    async drive(run: string): Promise<RunState> {
      for (let life = 0; life < 50; life++) {
        const state = await live(run);
        const events = await parts.journal.read(run);
        if (state.end === undefined && state.indexes.openQuestions === 0) continue;
        expect(brokenLaws(events)).toEqual([]);
        expect((await replayRun(run, {}, parts)).differences).toEqual([]);
        return state;
      }
      throw new Error('it does not end');
    },
  };
}

describe('a driver that dies during a call', () => {
  it('has used up no attempt of the tool', async () => {
    const place = openPlace(['die', 'die', 'die', UNAVAILABLE, GOOD]);
    const state = await place.drive(await place.start());
    expect(state.end).toMatchObject({ outcome: 'answered' });
    expect(state.tasks.get('t1')).toMatchObject({ status: 'succeeded', attempts: 5, crashes: 3 });
  });

  it('leaves the tool all of its attempts, and no more', async () => {
    const place = openPlace([UNAVAILABLE, 'die', UNAVAILABLE, GOOD]);
    const state = await place.drive(await place.start());
    expect(state.tasks.get('t1')).toMatchObject({
      status: 'failed',
      attempts: 3,
      failure: { message: 'server shop is not running' },
    });
  });

  it('is not called forever if it kills the driver each time, and the failure says why', async () => {
    const place = openPlace([UNAVAILABLE, ...Array.from({ length: 40 }, () => 'die' as const)]);
    const state = await place.drive(await place.start());
    const message =
      "Dandori's process ended 6 times while shop.put was running. The task is not started again.";
    expect(state.tasks.get('t1')).toMatchObject({ status: 'failed', failure: { message } });
    expect(state.end).toMatchObject({ outcome: expect.stringMatching(/answered|failed/) });
  });

  it('asks about a write each time, and does not fail it', async () => {
    const place = openPlace(['die'], { effect: 'write' });
    const state = await place.drive(await place.start({ restarts: 1 }));
    expect([...state.questions.values()].map(({ question }) => question.kind)).toEqual(['in_doubt']);
  });

  it('counts as an attempt in runs of older versions', async () => {
    const place = openPlace(['die', UNAVAILABLE, GOOD]);
    const state = await place.drive(await place.start({ restarts: undefined }));
    expect(state.tasks.get('t1')).toMatchObject({ status: 'failed', attempts: 2 });
  });
});

describe('a driver that dies while the mind thinks', () => {
  function forgetful(deaths: number, die: () => void): Mind {
    let thoughts = 0;
    return {
      name: 'model',
      async think({ signal }) {
        thoughts++;
        if (thoughts > deaths)
          return { kind: 'decided', actions: [{ id: 'a', operation: 'answer', args: { text: 'done' } }] };
        const gone = new Promise((resolve) => signal.addEventListener('abort', resolve));
        die();
        await gone;
        return { kind: 'failed', failure: { kind: 'cancelled', message: '' } };
      },
    };
  }

  it('has used up no call of the model', async () => {
    const place: ReturnType<typeof openPlace> = openPlace([], { mind: forgetful(4, () => place.die()) });
    const state = await place.drive(await place.start({}, { calls: 3 }));
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'done' });
    expect(state.modelCalls).toBe(1);
  });

  it('reaches the limit of model calls if it dies each time', async () => {
    const place: ReturnType<typeof openPlace> = openPlace([], { mind: forgetful(99, () => place.die()) });
    const state = await place.drive(await place.start({}, { calls: 3 }));
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'calls' });
  });
});
