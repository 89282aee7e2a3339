import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Task } from '../../src/model/task.ts';
import { hasEnded } from '../../src/run/state/task-state.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import { IS_LONG } from '../long.ts';
import { growth, LINEAR } from '../plan/growth.ts';
import { createHouse, DONE, SETTINGS, task } from './house.ts';

/** On the real clock: with a step clock, the test would measure the step clock. */
async function drivePlan(tasks: readonly Task[]): Promise<void> {
  const tools = {
    'a.get': { run: () => ({ n: 1 }) },
    'a.put': { effect: 'write' as const },
    'b.bad': {
      run: () => ({
        kind: 'failed' as const,
        failure: { kind: 'unavailable' as const, message: 'down', retryable: true },
      }),
    },
  };
  const house = createHouse(tools, DONE);
  const parts = { ...house.parts, clock: systemClock, toolbox: createFunctionToolbox(systemClock, tools) };
  const settings = { ...SETTINGS, task: { ...SETTINGS.task, attempts: 2, backoff: 1 } };
  const { run } = await startRun({ goal: 'go', settings, tasks }, parts);
  const state = await drive(run, parts);
  const isDown = tasks.some(({ operation }) => operation === 'b.bad');
  expect(state.end?.outcome).toBe(isDown ? 'failed' : 'answered');
  expect([...state.tasks.values()].filter(({ status }) => !hasEnded(status))).toEqual([]);
}

const SHAPES: Record<string, (index: number, size: number) => Task> = {
  'all at once': (index) => task(`t${index}`, 'a.get'),
  'a chain by Refs': (index) =>
    task(`t${index}`, 'a.get', { args: index === 0 ? {} : { n: `\${t${index - 1}.n}` } }),
  'one for all': (index) => task(`t${index}`, 'a.get', index === 0 ? {} : { args: { n: '${t0.n}' } }),
  'all for one': (index, size) =>
    index < size - 1
      ? task(`t${index}`, 'a.get')
      : task('last', 'a.put', { after: Array.from({ length: size - 1 }, (_, n) => `t${n}`) }),
  'writes among reads': (index) => task(`t${index}`, index % 100 === 99 ? 'a.put' : 'a.get'),
  'nothing but writes': (index) => task(`t${index}`, 'a.put'),
  'a server that is down': (index) => task(`t${index}`, 'b.bad'),
};

/** Tasks of the smaller plan. */
const SMALL = IS_LONG ? 1_000 : 300;

describe('a plan with ten times as many tasks costs ten times as much, not a hundred times', () => {
  it.each(Object.entries(SHAPES))('%s', async (_, shape) => {
    const work = (size: number) => drivePlan(Array.from({ length: size }, (__, index) => shape(index, size)));
    expect(await growth(work, SMALL)).toBeLessThan(LINEAR);
  });
});
