import { replayRun } from '../../engine/replay.ts';
import { differingEnd, isComparable, lostLines, type Violation, violations } from './checks.ts';
import { createFate, NO_FAULTS, type Struck } from './faults.ts';
import type { Tampering } from './machine.ts';
import { createRandom } from './random.ts';
import { writeScenario } from './scenario.ts';
import { type Course, live, RUN } from './simulation.ts';

/** What came of one seed. */
export interface Simulated {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: readonly Struck[];
  /** The journal as it lies on the disk. */
  readonly lines: readonly string[];
  readonly drives: number;
  /** Of the world, all tasks together. */
  readonly effects: number;
  readonly outcome: string;
  /** Whether its end was compared with the one that it has without faults. */
  readonly isCompared: boolean;
}

/** Lives through one seed: a goal, a world and a series of misfortunes, the same ones each time. */
export async function simulate(seed: number, tampering?: Tampering): Promise<Simulated> {
  const found: Violation[] = [];
  const scenario = writeScenario(createRandom(seed, 'scenario'));
  const course = await live({
    scenario,
    random: createRandom(seed),
    fate: createFate,
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

/** A replay decides again what the engine has decided, and needs nothing but the journal. */
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
