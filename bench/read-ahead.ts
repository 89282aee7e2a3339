import { setTimeout as sleep } from 'node:timers/promises';
import { startRun } from '../packages/dandori/src/commands/start.ts';
import { drive } from '../packages/dandori/src/driver/drive.ts';
import type { Mind } from '../packages/dandori/src/mind/mind.ts';
import type { Action } from '../packages/dandori/src/model/task.ts';
import { openBenchHouse, SETTINGS } from './house.ts';
import { median, type Row } from './row.ts';

const ACTIONS = 10;
const CHAIN = 5;
/** Milliseconds that an action takes the model to write, and a tool to run. */
const WRITES = 50;
const TAKES = 100;

/** Ten reads of which the first five are a chain, from a mind that writes slowly: the run with and without. */
export async function readAhead(): Promise<Row[]> {
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) ratios.push((await oneRound(true)) / (await oneRound(false)));
  return [
    {
      what: 'reads ahead ÷ reads behind the stream, 10 actions',
      figure: `${median(ratios).toFixed(3)}×`,
      aim: 'aim ≤ 0.65×',
    },
  ];
}

async function oneRound(streamDispatch: boolean): Promise<number> {
  await using house = await openBenchHouse({
    'bench.read': { effect: 'read', takes: TAKES, run: () => ({ text: 'x' }) },
  });
  const parts = { ...house.parts, mind: slowMind() };
  const { run } = await startRun({ goal: 'bench', settings: { ...SETTINGS, streamDispatch } }, parts);
  const start = performance.now();
  await drive(run, parts);
  return performance.now() - start;
}

function slowMind(): Mind {
  return {
    name: 'slow',
    async think({ state, onAction }) {
      const answer = { id: 'z', operation: 'answer', args: { text: 'done' } };
      if (state.tasks.size > 0) return { kind: 'decided', actions: [answer] };
      const actions: Action[] = [];
      for (let index = 0; index < ACTIONS; index++) {
        await sleep(WRITES);
        const args: Action['args'] = index === 0 || index >= CHAIN ? {} : { of: `\${t${index - 1}.text}` };
        const action = { id: `t${index}`, operation: 'bench.read', args };
        actions.push(action);
        onAction?.(action);
      }
      return { kind: 'decided', actions };
    },
  };
}
