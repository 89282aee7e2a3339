import { median, type Row } from '../row.ts';
import { type ContenderName, installedPeers } from './contenders.ts';
import type { Measured, Sample } from './sample.ts';
import { type Services, startProcess, startServices } from './services.ts';
import { type Figures, STEP_COUNTS } from './workloads.ts';

const ROUNDS = 3;
/** Every ratio is to this one. */
const BASE = 'fetch loop';
const LOOPS: readonly ContenderName[] = [BASE, 'http loop', 'fetch loop, synced', 'http loop, synced'];
const IN_MEMORY: readonly ContenderName[] = ['Dandori', 'Dandori, native calls'];
const IN_WORKERS: ContenderName = 'Dandori, synced, 2 workers';
const SYNCED: readonly ContenderName[] = ['Dandori, synced', 'Dandori, native calls, synced'];

/**
 * The library as a user calls it, against a model over HTTP, beside bare loops and other libraries. Each round takes a
 * sample of every contender, and each sample is a fresh process.
 */
export async function product(): Promise<Row[]> {
  await using services = await startServices();
  const peers = installedPeers();
  const stored: ContenderName = services.addresses.restate === undefined ? 'Restate-style loop' : 'Restate';
  const all = [...LOOPS, stored, ...peers, ...IN_MEMORY, ...SYNCED];
  const measure = (series: Series) => measureSeries(series, services);
  return [
    ...(await steps(measure, all)),
    ...(await written(measure)),
    ...(await callsAtOnce(measure, [BASE, 'http loop', ...peers, 'Dandori', 'Dandori, synced'])),
    ...(await runsAtOnce(measure, [...LOOPS, stored, ...peers, 'Dandori', 'Dandori, synced', IN_WORKERS])),
    ...(await plans(measure)),
    ...(await waiting(measure)),
    ...(await parked(measure)),
    ...(peers.length > 0 ? [] : [{ what: 'other libraries', figure: '–', note: 'cd bench/peers && npm ci' }]),
  ];
}

async function steps(measure: Measure, contenders: readonly ContenderName[]): Promise<Row[]> {
  const measured = await measure({ workload: 'steps', contenders, size: Math.max(...STEP_COUNTS) });
  const [inMemory, synced] = ['≤ 1.1×, then 0.9×', '≤ 1.6×, then 1.2×'];
  const ratios = rowsOf(measured, {
    what: 'step of 50 steps',
    aims: { ...aimOf(IN_MEMORY, inMemory), ...aimOf(SYNCED, synced) },
    figure: ({ ratio }) => `${ratio('ms50').toFixed(2)}×`,
    note: ({ of, ratio }) => `${of('ms50').toFixed(2)} ms; CPU ${ratio('cpu50').toFixed(2)}×`,
  });
  const each = (figure: Shown['of']) =>
    STEP_COUNTS.map((count) => figure(`ms${count}`))
      .filter((ms) => !Number.isNaN(ms))
      .map((ms) => ms.toFixed(2))
      .join(' · ');
  const lengths = rowsOf(measured, {
    what: `step of ${STEP_COUNTS.join(' · ')} steps`,
    aims: aimOf([...IN_MEMORY, ...SYNCED], 'flat in ms'),
    figure: ({ ratio }) => `${each(ratio)}×`,
    note: ({ of }) => `${each(of)} ms`,
  });
  return [...ratios, ...lengths];
}

async function written(measure: Measure): Promise<Row[]> {
  const contenders: ContenderName[] = ['http loop, synced', ...SYNCED];
  const measured = await measure({ workload: 'written', contenders, size: 200, rounds: 1 });
  return [
    ...rowsOf(measured, {
      what: 'bytes written a step of 200, results of 1 kB',
      aims: aimOf(SYNCED, '≤ 1,750'),
      figure: ({ of }) => of('bytes').toFixed(0),
      note: () => 'counted in node:fs; of Dandori with the planning history',
    }),
    ...rowsOf(measured, {
      what: 'syncs a step of 200',
      aims: aimOf(SYNCED, '≤ 2'),
      figure: ({ of }) => of('syncs').toFixed(2),
      note: () => 'calls of fsync and fdatasync in node:fs',
    }),
  ];
}

async function callsAtOnce(measure: Measure, contenders: readonly ContenderName[]): Promise<Row[]> {
  return rowsOf(await measure({ workload: 'callsAtOnce', contenders, size: 20 }), {
    what: '20 calls of 50 ms at once',
    aims: aimOf(['Dandori', 'Dandori, synced'], '≤ 58 ms'),
    figure: ({ of }) => `${of('ms').toFixed(1)} ms`,
    note: ({ ratio }) => `${ratio('ms').toFixed(2)}×`,
  });
}

async function runsAtOnce(measure: Measure, contenders: readonly ContenderName[]): Promise<Row[]> {
  const measured = await measure({ workload: 'runsAtOnce', contenders, size: 1_000 });
  const what = '1,000 runs at once, of 5 steps';
  return [
    ...rowsOf(measured, {
      what,
      aims: { ...aimOf(SYNCED, '≥ 250'), [IN_WORKERS]: '≥ 450' },
      figure: ({ of }) => `${of('perSecond').toFixed(0)} runs/s`,
      note: ({ of, ratio }) =>
        `${ratio('perSecond').toFixed(2)}×; CPU ${of('cpu').toFixed(2)} ms a run, ${ratio('cpu').toFixed(2)}×; of this process`,
    }),
    ...rowsOf(measured, {
      what: `${what}, peak memory`,
      aims: aimOf([...IN_MEMORY, ...SYNCED], '≤ 350 MB'),
      figure: ({ of }) => `${of('peak').toFixed(0)} MB`,
      note: ({ ratio }) => `${ratio('peak').toFixed(2)}×; of this process`,
    }),
  ];
}

async function plans(measure: Measure): Promise<Row[]> {
  const [alone, synced] = ['Dandori, no model', 'Dandori, no model, synced'] as const;
  const rows: Row[] = [];
  for (const [size, inMemory] of [
    [30, '≤ 60 µs'],
    [300, undefined],
    [990, '≤ 25 µs'],
  ] as const)
    rows.push(
      ...rowsOf(await measure({ workload: 'plan', contenders: [alone, synced], size }), {
        what: `task of a given plan of ${size}`,
        aims: { ...(inMemory && { [alone]: inMemory }), [synced]: '≤ 60 µs' },
        figure: ({ of }) => `${of('us').toFixed(0)} µs`,
        note: ({ of }) => `CPU ${of('cpu').toFixed(0)} µs`,
      }),
    );
  return rows;
}

async function waiting(measure: Measure): Promise<Row[]> {
  const contenders: ContenderName[] = [BASE, 'http loop', 'Dandori'];
  return rowsOf(await measure({ workload: 'waiting', contenders, size: 300, rounds: 1 }), {
    what: 'heap of a run that waits for the model',
    aims: { Dandori: '≤ 40 kB' },
    figure: ({ of }) => `${of('heap').toFixed(1)} kB`,
    note: () => 'of 300, with its connection; the model is another process',
  });
}

async function parked(measure: Measure): Promise<Row[]> {
  const contenders: ContenderName[] = ['Dandori, synced, asks first'];
  return rowsOf(await measure({ workload: 'parked', contenders, size: 1_000, rounds: 1 }), {
    what: 'heap of a run that waits for a person',
    aims: aimOf(contenders, 'nothing'),
    figure: ({ of }) => `${of('heap').toFixed(1)} kB`,
    note: () => 'each of 1,000, after as many before; without its handle',
  });
}

interface Series extends Pick<Sample, 'workload' | 'size'> {
  readonly contenders: readonly ContenderName[];
  readonly rounds?: number;
}

/** A contender's figures: medians of the rounds. */
interface Shown {
  of(key: string): number;
  /** To the base in the same round. */
  ratio(key: string): number;
}

type Measure = (series: Series) => Promise<ReadonlyMap<ContenderName, Shown>>;

async function measureSeries(
  { contenders, rounds = ROUNDS, ...what }: Series,
  services: Services,
): ReturnType<Measure> {
  const samples: Map<ContenderName, Figures>[] = [];
  for (let round = 0; round < rounds; round++) {
    const sample = new Map<ContenderName, Figures>();
    for (const contender of contenders) sample.set(contender, await take({ contender, ...what }, services));
    samples.push(sample);
  }
  const middle = (figure: (sample: ReadonlyMap<ContenderName, Figures>) => number) =>
    median(samples.map(figure));
  return new Map(
    contenders.map((name) => {
      const of = (sample: ReadonlyMap<ContenderName, Figures>, one: ContenderName, key: string) =>
        sample.get(one)?.[key] ?? Number.NaN;
      return [
        name,
        {
          of: (key) => middle((sample) => of(sample, name, key)),
          ratio: (key) => middle((sample) => of(sample, name, key) / of(sample, BASE, key)),
        },
      ];
    }),
  );
}

async function take(sample: Omit<Sample, 'addresses'>, { addresses, folder }: Services): Promise<Figures> {
  const given: Sample = { ...sample, addresses };
  // What the process writes is removed with the folder at the end, not between the samples: deleting slows a disk down.
  const env = { ...process.env, TMPDIR: folder };
  await using child = startProcess('sample.ts', [JSON.stringify(given)], { env });
  const measured = (await child
    .firstMessage()
    .catch((error: Error) => ({ error: error.message }))) as Measured;
  if ('figures' in measured) return measured.figures;
  throw new Error(`${sample.contender}, ${sample.workload}: ${measured.error}`);
}

type Aims = Partial<Record<ContenderName, string>>;

function aimOf(contenders: readonly ContenderName[], aim: string): Aims {
  return Object.fromEntries(contenders.map((one) => [one, aim]));
}

interface Showing {
  readonly what: string;
  readonly aims: Aims;
  figure(one: Shown): string;
  note(one: Shown): string;
}

function rowsOf(measured: ReadonlyMap<ContenderName, Shown>, { what, aims, figure, note }: Showing): Row[] {
  return [...measured].map(([name, one]) => {
    const aim = aims[name];
    return { what: `${what}: ${name}`, figure: figure(one), ...(aim && { aim }), note: note(one) };
  });
}
