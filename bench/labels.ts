import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startRun } from '../packages/dandori/src/commands/start.ts';
import { drive } from '../packages/dandori/src/driver/drive.ts';
import type { Parts } from '../packages/dandori/src/driver/parts.ts';
import type { Settings } from '../packages/dandori/src/model/settings.ts';
import { createMemoryBlobs, createMemoryJournal } from '../packages/dandori/src/store/in-memory.ts';
import { createFunctionToolbox } from '../packages/dandori/src/testing/function-toolbox.ts';
import { createScriptedMind } from '../packages/dandori/src/testing/scripted-mind.ts';
import { createStepClock } from '../packages/dandori/src/testing/step-clock.ts';
import { bytesIn, costOf } from './product/cost.ts';
import { dandori, type OpenedDandori } from './product/dandori.ts';
import { median, type Row } from './row.ts';

const WRITES = 100;
const ROUNDS = 400;
const PLAN = Array.from({ length: WRITES }, (_, n) => ({ id: `t${n}`, operation: 'box.put', args: { n } }));

/**
 * What labels cost: the same plan with and without a trust policy, in turns. CPU time and not elapsed time, and of each the
 * fastest round, because every other load of the machine only adds to it.
 */
export async function labels(): Promise<Row[]> {
  const rounds: Record<'off' | 'on', Round[]> = { off: [], on: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rounds.off.push(await oneRound({}));
    rounds.on.push(await oneRound({ trust: { policy: 'standard' } }));
  }
  const best = (list: readonly Round[]) => Math.min(...list.map(({ microseconds }) => microseconds));
  const each = (best(rounds.on) - best(rounds.off)) / WRITES;
  const bytes = (rounds.on[0]?.bytes ?? 0) / (rounds.off[0]?.bytes ?? 1);
  return [
    ...(await realSteps()),
    {
      what: 'labels, a write of a plan',
      figure: `${each.toFixed(1)} µs more`,
      note: `CPU, of ${(best(rounds.off) / WRITES).toFixed(1)} µs with instant tools, no model and no disk`,
    },
    {
      what: 'labels, bytes of the journal',
      figure: percent(bytes),
      aim: '≤ 5 %',
      note: 'of writes with one small argument',
    },
  ];
}

const PAIRS = 300;
const STEPS = 10;

/** The library as a user calls it: a step is a call of a model over HTTP in another process, and a write of a tool. */
async function realSteps(): Promise<Row[]> {
  const server = fork(join(import.meta.dirname, 'product/model-server.ts'), { stdio: 'inherit' });
  const [port] = (await once(server, 'message')) as [number];
  const open = (trust: 'off' | 'standard', storage: 'memory' | 'jsonl') =>
    dandori(port, { trust, storage, effect: 'write' });
  const off = await open('off', 'memory');
  const on = await open('standard', 'memory');
  const files = [await open('off', 'jsonl'), await open('standard', 'jsonl')] as const;
  try {
    const ratios: number[] = [];
    for (let pair = -20; pair < PAIRS; pair++) {
      const cost = async (one: OpenedDandori) =>
        (await costOf(() => one.run(`@@turns=${STEPS};more=1;@@`))).cpu;
      // In turns, so that what a round leaves behind is no cost of always the same one.
      const first = pair % 2 === 0 ? await cost(off) : undefined;
      const labelled = await cost(on);
      const plain = first ?? (await cost(off));
      if (pair >= 0) ratios.push(labelled / plain);
    }
    const bytes: number[] = [];
    for (const one of files) {
      const before = bytesIn(one.folder);
      await one.run('@@turns=50;size=100;more=1;@@');
      bytes.push(bytesIn(one.folder) - before);
    }
    const [plain = 1, labelled = 1] = bytes;
    return [
      {
        what: 'labels, a step with a model over HTTP',
        figure: percent(median(ratios)),
        aim: '≤ 3 %',
        note: `CPU, policy standard beside off, median of ${PAIRS} pairs of runs with ${STEPS} writes`,
      },
      {
        what: 'labels, bytes of its journal',
        figure: percent(labelled / plain),
        aim: '≤ 5 %',
        note: 'of a run with 50 writes whose results have 100 bytes',
      },
    ];
  } finally {
    for (const one of [off, on, ...files]) await one.close?.();
    server.disconnect();
  }
}

function percent(ratio: number): string {
  const more = (ratio - 1) * 100;
  return `${more < 0 ? '' : '+'}${more.toFixed(2)} %`;
}

interface Round {
  readonly microseconds: number;
  readonly bytes: number;
}

async function oneRound(trust: Pick<Settings, 'trust'>): Promise<Round> {
  const clock = createStepClock();
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock,
    toolbox: createFunctionToolbox(clock, { 'box.put': { effect: 'write', trusted: true } }),
    mind: createScriptedMind([PLAN, [{ id: 'end', operation: 'answer', args: { text: 'done' } }]]),
    check: () => [],
    secrets: [],
    driver: 'bench',
  };
  const { run } = await startRun({ goal: 'bench', settings: { ...SETTINGS, ...trust } }, parts);
  const before = process.cpuUsage();
  await clock.runUntil(drive(run, parts));
  const { user, system } = process.cpuUsage(before);
  const events = await parts.journal.read(run);
  return { microseconds: user + system, bytes: JSON.stringify(events).length };
}

const SETTINGS: Settings = {
  mode: 'auto',
  approval: 'never',
  concurrency: 16,
  repairs: 2,
  order: [],
  limits: { steps: 10, calls: 30, tasks: 1_000, time: 600_000 },
  task: { timeoutMs: 60_000, attempts: 3, backoff: 100 },
};
