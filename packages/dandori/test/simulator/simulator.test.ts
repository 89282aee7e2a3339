import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { type Blobs, handleOf } from '../../src/store/blobs.ts';
import { type Journal, NEVER_LOST } from '../../src/store/journal.ts';
import { journalCases } from '../../src/testing/index.ts';
import { IS_LONG, rounds, sample } from '../long.ts';
import { createDisk } from './disk.ts';
import { FAULTS, NO_FAULTS } from './faults.ts';
import { createSimulatedLeases } from './leases.ts';
import { createSimulatedJournal, createSimulatedProcess, type Tampering } from './machine.ts';
import { createRandom } from './random.ts';
import { compare, simulateAll } from './seeds.ts';
import { type Simulated, simulate } from './simulation.ts';
import { accountOf } from './tally.ts';
import { createTimeline } from './timeline.ts';

/** The first 170 seeds have every fault; `npm run simulate` lives through as many as it is told to. */
const SEEDS = IS_LONG ? 2_000 : 170;

describe('the simulator', () => {
  it(`finds nothing wrong in ${SEEDS} lives full of crashes, lost answers and second drivers, and every fault strikes`, async () => {
    const struck = new Set<string>();
    const told = new Set<string>();
    for await (const simulated of simulateAll(1, SEEDS)) {
      if (simulated.violations.length > 0) expect.fail(accountOf(simulated));
      for (const { kind } of simulated.faults) struck.add(kind);
      for (const line of simulated.lines) told.add(whatHappened(line));
    }
    expect([...struck].sort()).toEqual(Object.keys(FAULTS).sort());
    // A fault that strikes where it can do nothing tries nothing.
    const wanted = [
      'probe_ended happened',
      'probe_ended not_happened',
      'probe_ended unknown',
      'run_continued',
    ];
    const expired = ['question_expired declined', 'question_expired cancelled'];
    expect([...told]).toEqual(expect.arrayContaining([...wanted, ...expired, 'note_added', 'run_paused']));
  });

  it('finds nothing wrong where drivers stand still, are cut off and lose their leases, two or three at a time', async () => {
    const faults = [
      'stopped',
      'stopped_after_event',
      'cut_off',
      'lease_ended',
      'notices_lost',
      'second_driver',
      'third_driver',
    ] as const;
    for (let seed = 1; seed <= rounds(40); seed++) {
      const simulated = await simulate(seed, { faults });
      if (simulated.violations.length > 0) expect.fail(accountOf(simulated));
    }
  });

  it('stops no call for an expiry that an answer has overtaken: seed 14037145', async () => {
    const simulated = await simulate(14_037_145);
    if (simulated.violations.length > 0) expect.fail(accountOf(simulated));
  });

  it('lives through the same seed in the same way, to the byte', async () => {
    for (let seed = 5_000; seed < 5_000 + rounds(30); seed++) {
      const first = await simulate(seed);
      expect((await compare(first)).violations).toEqual([]);
      expect(first.lines.length).toBeGreaterThan(2);
    }
  });
});

describe('npm run simulate', () => {
  const said: [string[], number, RegExp][] = [
    [['--seeds', 'many'], 2, /^--seeds takes a whole number from 1, not "many"\.\nnpm run simulate/],
    [['--help'], 0, /^npm run simulate -- --seeds/],
    [['--sedes', '5'], 2, /--sedes[\s\S]*npm run simulate/],
  ];
  it.each(sample(said, said.length))('says how it is used: %j', (typed, code, said) => {
    const { status, stderr } = spawnSync(process.execPath, [`${import.meta.dirname}/main.ts`, ...typed]);
    expect(status).toBe(code);
    expect(stderr.toString()).toMatch(said);
  });
});

function whatHappened(line: string): string {
  const { type, data } = JSON.parse(line) as Event;
  if (type === 'probe_ended') return `${type} ${data.found}`;
  return type === 'question_expired' ? `${type} ${data.as}` : type;
}

/** The first of some seeds that is broken in this way. */
async function firstBroken(kind: string, ...tampering: [Parameters<typeof simulate>[1]]): Promise<Simulated> {
  for (let seed = 1; seed <= 300; seed++) {
    const simulated = await simulate(seed, ...tampering);
    if (simulated.violations.some((violation) => violation.startsWith(`${kind}:`))) return simulated;
  }
  throw new Error(`no seed was found to be broken: ${kind}`);
}

describe('a broken part is found out, and the account says which seed shows it', () => {
  it('a tool that does not know a key when it comes again', async () => {
    const simulated = await firstBroken('twice', { knowsKeys: false });
    expect(accountOf(simulated)).toMatch(/took effect 2 times[\s\S]*npm run simulate -- --seed \d+$/);
  });

  it('a probe that does not find what is there', async () => {
    await firstBroken('twice', { canFind: false });
  });

  it('a journal that says yes before anything is written', async () => {
    const journal = (real: Journal): Journal => ({
      ...real,
      async append(run, after, events) {
        void real.append(run, after, events).catch(() => {});
      },
    });
    await firstBroken('twice', { journal });
  });

  it('a journal that says yes and loses it', async () => {
    const journal = (real: Journal): Journal => ({
      ...real,
      async append(run, after, events) {
        const isLost = events.every(({ type }) => type === 'task_started');
        if (!isLost) await real.append(run, after, events);
      },
    });
    await firstBroken('error', { journal });
  });

  it('a lease without a fence: a driver that stood still goes on as if nothing had happened', async () => {
    await firstBroken('twice', { isFenced: false, faults: ['stopped_after_event'] });
  });

  it('an approval that the user did not give', async () => {
    const journal = (real: Journal): Journal => ({
      ...real,
      async read(run, after) {
        const events = await real.read(run, after);
        return events.map((event) =>
          event.type === 'run_started'
            ? { ...event, data: { ...event.data, settings: { ...event.data.settings, approval: 'never' } } }
            : event,
        );
      },
    });
    await firstBroken('unapproved', { journal });
  });

  it('a journal that lets two drive and takes what does not fit', async () => {
    const journal = (real: Journal): Journal => ({
      ...real,
      claim: async () => ({ lost: NEVER_LOST, release: async () => {} }),
      async append(run, _, events) {
        const { length } = await real.read(run);
        const renumbered = events.map((event, index) => ({ ...event, seq: length + 1 + index }));
        await real.append(run, length, renumbered);
      },
    });
    await firstBroken('law', { journal });
  });
});

/** Says yes to appends with such events while the disk still writes them, as a driver would that does not wait. */
function hastyJournal(...types: readonly Event['type'][]): { journal: (real: Journal) => Journal } {
  const journal = (real: Journal): Journal => ({
    ...real,
    async append(run, after, events, claim) {
      const written = real.append(run, after, events, claim);
      if (events.some(({ type }) => types.includes(type))) void written.catch(() => {});
      else await written;
    },
  });
  return { journal };
}

/** Says yes to a blob and writes it when the next one comes. */
function hastyBlobs(real: Blobs): Blobs {
  let late: string[] | undefined;
  return {
    ...real,
    async put(parts) {
      if (late !== undefined) await real.put(late);
      late = [...parts];
      return handleOf(late);
    },
  };
}

describe('a shortcut in durability is refused', () => {
  it.each<[string, Tampering, RegExp]>([
    [
      'a call that leaves before its start is on the disk',
      hastyJournal('task_started'),
      /early: \S+ \S+\/t\d+ was called before its start/,
    ],
    [
      'a call inside a service that does',
      hastyJournal('inner_call_started'),
      /early: \S+ \S+\/t\d+\/\d was called before its start/,
    ],
    [
      'a probe that is asked before the doubt is written',
      hastyJournal('probe_started'),
      /early: event \d+ \(probe_started\) was told/,
    ],
    [
      'an outcome that is used before it is written',
      hastyJournal('task_succeeded'),
      /early: \S+ \S+ was called before the outcome of t\d+/,
    ],
    [
      'what the model says, used before what it was asked for is written',
      hastyJournal('decision_started', 'decision_made'),
      /early: \S+ \S+ was called before its start/,
    ],
    [
      'a write that goes on while the model is asked, and counts as done before the model has answered',
      hastyJournal('decision_started'),
      /early: event \d+ \(decision_started\) was told/,
    ],
    [
      'an end that is reported before it is written',
      hastyJournal('run_finished'),
      /early: the end of the run was told/,
    ],
    [
      'an answer of the user that is accepted before it is written',
      hastyJournal('question_answered'),
      /early: event \d+ \(question_answered\) was told/,
    ],
    [
      'a large result whose own file is not on the disk, although the journal is',
      { blobs: hastyBlobs },
      /early: event \d+ \(task_succeeded\) was told before its blob/,
    ],
  ])('%s', async (_, tampering, violation) => {
    for (let seed = 1; seed <= 100; seed++)
      if ((await simulate(seed, tampering)).violations.some((found) => violation.test(found))) return;
    expect.fail('no seed was found to be broken in this way');
  });
});

describe('the simulated journal, where nothing goes wrong', () => {
  const open = async () => {
    const timeline = createTimeline(createRandom(1));
    const process = createSimulatedProcess('test');
    const random = createRandom(2);
    const leases = createSimulatedLeases({ random, timeline, onFree: () => {} });
    const processes = new Set([process]);
    const disk = createDisk({ random, timeline, fate: NO_FAULTS, processes, stop: leases.stop });
    let isOpen = true;
    const passing = (async () => {
      while (isOpen) await timeline.step();
    })();
    return {
      journal: createSimulatedJournal(disk, process, { leases }),
      async [Symbol.asyncDispose]() {
        isOpen = false;
        await passing;
      },
    };
  };
  for (const { name, run } of journalCases(open)) it(name, run);
});
