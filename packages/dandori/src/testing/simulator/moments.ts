import type { FaultAt } from './faults.ts';
import type { Simulation } from './simulation.ts';

const DAY = 86_400_000;
/** Milliseconds; to answer takes about as long. */
const CLOSE = 10;

/** What can come at any moment, whatever is just going on. */
export const MOMENTS: Record<FaultAt<'moment'>, (simulation: Simulation) => void> = {
  crash({ drivers, random }) {
    [...drivers][random.below(drivers.size)]?.die();
  },
  machine_crash: ({ disk }) => disk.powerCut(),
  cancel: ({ command, person }) => command((run, parts) => person.cancel(run, parts)),
  early_answer: ({ command, person }) => command((run, parts) => person.answer(run, parts)),
  early_budget: ({ command, person }) => command((run, parts) => person.addBudget(run, parts)),
  note: ({ command, person }) => command((run, parts) => person.tell(run, parts)),
  pause: ({ command, person }) => command((run, parts) => person.pause(run, parts)),
  early_continue: ({ command, person }) => command((run, parts) => person.goOn(run, parts)),
  /** The wall clock is set to just before it, and the answer comes at about the same time. */
  question_expires({ timeline, random, expiry, command, person }) {
    const left = expiry() - timeline.wall;
    if (!Number.isFinite(left) || left < CLOSE) return;
    timeline.jump(left - random.below(CLOSE));
    command((run, parts) => person.answer(run, parts));
  },
  second_driver: ({ startDriver }) => startDriver(),
  /** The second line of defence is tried: two drive at once, and neither knows of the other. */
  claim_lost({ file, startDriver }) {
    file().claim = undefined;
    startDriver();
  },
  clock_forward: ({ timeline, random }) => timeline.jump(random.below(random.pick([1_000, DAY]))),
  clock_back: ({ timeline, random }) => timeline.jump(-random.below(random.pick([1_000, DAY]))),
};
