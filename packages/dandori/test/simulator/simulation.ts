import { startRun } from '../../src/commands/index.ts';
import { drive, type Parts } from '../../src/driver/index.ts';
import { replayRun } from '../../src/history/index.ts';
import { DandoriError, type ErrorCode } from '../../src/model/error.ts';
import type { Event } from '../../src/model/event.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { Journal } from '../../src/store/index.ts';
import { differingEnd, isComparable, lostLines, type Violation, violations } from './checks.ts';
import type { Disk, SimulatedFile } from './disk.ts';
import { createFate, type Fate, NO_FAULTS, type Struck } from './faults.ts';
import type { Leases } from './leases.ts';
import { createMachine, type SimulatedProcess, type Tampering } from './machine.ts';
import { planOf } from './mind.ts';
import { createPerson, MOMENTS, type Person } from './person.ts';
import { createRandom, type Random } from './random.ts';
import { type Scenario, writeScenario } from './scenario.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import type { World } from './world.ts';

/** Unlike a real run id it is not random, so that the same seed gives the same bytes. */
const RUN = '20260101-000000000-seed';

/** Far more than any run needs that ends. */
const MOST_DRIVES = 100;
const MOST_STEPS = 20_000;
/** Milliseconds between two looks at leases that have ended. */
const LOOK = 500;

/** Errors that a driver or the user may get in a correct simulation. */
const EXPECTED: readonly ErrorCode[] = [
  'run-driven-elsewhere',
  'journal-unwritable',
  'run-ended',
  'question-answered',
  'question-expired',
];

interface SimulationParts {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly fate: (random: Random, now: () => number) => Fate;
  readonly tampering?: Tampering | undefined;
  /** Called after each death of a process. */
  readonly onDeath?: (file: SimulatedFile) => void;
}

/** What a fault at an arbitrary moment can use. */
export interface Simulation {
  readonly random: Random;
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly person: Person;
  /** The processes that are driving now. */
  readonly drivers: ReadonlySet<SimulatedProcess>;
  readonly leases: Leases;
  file(): SimulatedFile;
  /** The process that believes it may drive the run. */
  holder(): SimulatedProcess | undefined;
  /** When the first open question expires. */
  expiry(): number;
  startDriver(): void;
  /** Runs a command in a separate process. */
  command(work: (run: string, parts: Parts) => Promise<unknown>): void;
}

/** The course of a simulation. */
export interface Course {
  readonly file: SimulatedFile;
  readonly events: readonly Event[];
  readonly fate: Fate;
  readonly world: World;
  readonly drives: number;
  readonly steps: number;
  /** Violations that were noticed during the simulation. */
  readonly complaints: readonly string[];
  readonly tooEarly: readonly Violation[];
  /** For reading the run after its end. */
  readonly parts: Parts;
}

/**
 * Runs the real driver on a simulated machine until the run has ended or waits for a user who does not
 * answer.
 */
async function live({
  scenario,
  random,
  onDeath,
  tampering = {},
  ...parts
}: SimulationParts): Promise<Course> {
  const timeline = createTimeline(random.fork('time'));
  const fate = parts.fate(random.fork('fate'), () => timeline.now);
  const file = () => disk.fileOf(RUN);
  const stateNow = () => fold(file().lines.map(({ event }) => event));
  const expiry = () => firstExpiry(stateNow());
  const machine = createMachine({
    scenario,
    random,
    timeline,
    fate,
    tampering,
    onDeath: () => onDeath?.(file()),
    // Another process looks for leases that have ended.
    onFree: () => later(chance.below(LOOK), startDriver),
  });
  const { disk, world, leases, tooEarly } = machine;
  const complaints: string[] = [];
  const drivers = new Set<SimulatedProcess>();
  const person = createPerson(scenario, world);
  const chance = random.fork('return');
  let drives = 0;
  let steps = 0;
  /** The number of processes that are working or about to return. */
  let busy = 0;
  /** The last event known to a driver that stopped to wait for the user. 0 if none did. */
  let waitingAt = 0;
  let isPaid = false;

  function run(process: SimulatedProcess, work: Promise<unknown>): void {
    busy++;
    process.onDeath(() => busy--);
    void work.catch(complain).finally(() => process.die());
  }

  function complain(error: unknown): void {
    if (error instanceof DandoriError && EXPECTED.includes(error.code)) return;
    complaints.push(`threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  function startDriver(): void {
    const name = `driver ${++drives}`;
    const { process, parts } = machine.begin(name);
    waitingAt = 0;
    drivers.add(process);
    process.onDeath(() => drivers.delete(process));
    const work = drive(RUN, parts).then(({ end, indexes: { openQuestions }, paused, seq }) => {
      if (end !== undefined) return tooEarly.toldEnd(RUN);
      waitingAt = seq;
      if (openQuestions === 0 && paused === undefined)
        complaints.push(`${name} stopped and nobody is asked anything`);
    });
    run(process, work);
  }

  function command(work: (run: string, parts: Parts) => Promise<unknown>): void {
    const { process, parts } = machine.begin('person');
    const { journal } = parts;
    const append: Journal['append'] = async (to, after, events, claim) => {
      await journal.append(to, after, events, claim);
      for (const event of events) tooEarly.told(event);
    };
    run(process, work(RUN, { ...parts, journal: { ...journal, append } }));
  }

  function later(ms: number, happen: () => void): void {
    busy++;
    timeline.after(ms, () => {
      busy--;
      happen();
    });
  }

  /**
   * Continues the run: with an answer if one is awaited, otherwise with a driver. False if the run is over.
   */
  function comeBack(): boolean {
    const last = file().lines.at(-1)?.event;
    if (last?.type === 'run_finished') {
      if (last.data.outcome !== 'exhausted' || isPaid) return false;
      isPaid = true;
      command(person.addBudget);
      return true;
    }
    const pause = chance.chance(0.2) ? chance.below(1e8) : chance.below(20);
    if (waitingAt === 0) later(pause, startDriver);
    else if (stateNow()?.paused !== undefined) later(pause, () => command(goOn));
    else if (!scenario.isPersonSilent) later(pause, () => command(answer));
    else if (Number.isFinite(expiry())) later(expiry() - timeline.wall + pause, startDriver);
    else if (waitingAt === last?.seq) return false;
    else later(pause, startDriver);
    return true;
  }

  async function answer(run: string, parts: Parts): Promise<void> {
    let isAll = true;
    try {
      isAll = await person.answer(run, parts);
    } finally {
      // If the answer was refused, a driver must check the run, because the question may have expired.
      if (isAll) waitingAt = 0;
    }
  }

  async function goOn(run: string, parts: Parts): Promise<void> {
    await person.goOn(run, parts);
    waitingAt = 0;
  }

  async function createRun(): Promise<void> {
    const { process, parts } = machine.begin('starter');
    const create: Journal['create'] = async (_, events) =>
      disk.create(
        RUN,
        events.map((event) => ({ ...event, run: RUN })),
      );
    const { settings, isGiven } = scenario;
    const journal = { ...parts.journal, create };
    await startRun(
      { goal: 'do it', settings, ...(isGiven && { tasks: planOf(scenario) }) },
      { ...parts, journal },
    );
    process.die();
  }

  const simulation = {
    random: random.fork('moments'),
    timeline,
    disk,
    person,
    drivers,
    leases,
    file,
    holder: () => file().claim?.by,
    expiry,
    startDriver,
    command,
  };
  await createRun();
  while (busy > 0 || comeBack()) {
    const moment = fate.strike('moment', () => `${drivers.size} drivers`);
    if (moment !== undefined) MOMENTS[moment](simulation);
    if (!(await timeline.step()) && busy > 0)
      complaints.push('everybody waits for something that never comes');
    if (++steps > MOST_STEPS) complaints.push(`no end after ${steps} steps`);
    if (drives > MOST_DRIVES) complaints.push(`no end after ${drives} drives`);
    if (complaints.length > 0) break;
  }
  const events = file().lines.map(({ event }) => event);
  const { parts: reading } = machine.begin('reader');
  const noticed = { complaints, tooEarly: tooEarly.found };
  return { file: file(), events, fate, world, drives, steps, ...noticed, parts: reading };
}

function firstExpiry(state: RunState | undefined): number {
  const open = [...(state?.questions.values() ?? [])].filter(({ answer }) => answer === undefined);
  return Math.min(...open.map(({ question }) => question.expiresAt ?? Number.POSITIVE_INFINITY));
}

/** The result of one seed. */
export interface Simulated {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: readonly Struck[];
  /** The journal as it is on the disk. */
  readonly lines: readonly string[];
  readonly drives: number;
  /** The effects in the world, of all tasks together. */
  readonly effects: number;
  readonly outcome: string;
  /** Whether its end was compared with the end without faults. */
  readonly isCompared: boolean;
}

/** Simulates one seed: a goal, a world and a series of faults. They are the same each time. */
export async function simulate(seed: number, tampering?: Tampering): Promise<Simulated> {
  const found: Violation[] = [];
  const scenario = writeScenario(createRandom(seed, 'scenario'));
  const course = await live({
    scenario,
    random: createRandom(seed),
    fate: (random, now) => createFate(random, now, tampering?.faults),
    tampering,
    onDeath: (file) => found.push(...lostLines(file)),
  });
  found.push(...violations(course, scenario));
  if (found.length === 0) found.push(...(await unproved(course)));
  const isCompared =
    found.length === 0 && scenario.isGenerous && !scenario.isPersonSilent && isComparable(course);
  if (isCompared) {
    const undisturbed = await live({ scenario, random: createRandom(seed), fate: () => NO_FAULTS });
    found.push(...differingEnd(course, undisturbed));
  }
  return { seed, violations: [...new Set(found)], isCompared, ...summary(course) };
}

/** A replay repeats the decisions of the driver from the journal alone. */
async function unproved({ parts }: Course): Promise<Violation[]> {
  const { differences, unproved: open } = await replayRun(RUN, {}, parts);
  return [...differences, ...open].map(
    ({ seq, type, message }): Violation => `unproved: event ${seq} (${type}): ${message}`,
  );
}

function summary({
  fate,
  file,
  drives,
  world,
  events,
}: Course): Omit<Simulated, 'seed' | 'violations' | 'isCompared'> {
  const end = events.at(-1);
  return {
    faults: fate.struck,
    lines: file.lines.map(({ text }) => text),
    drives,
    effects: world.total,
    outcome: end?.type === 'run_finished' ? end.data.outcome : 'waiting',
  };
}
