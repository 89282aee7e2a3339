import type { FaultAt } from './faults.ts';
import type { Simulation } from './simulation.ts';

const DAY = 86_400_000;

/** What can come at any moment, whatever is just going on. */
export const MOMENTS: Record<FaultAt<'moment'>, (simulation: Simulation) => void> = {
  crash({ drivers, random }) {
    [...drivers][random.below(drivers.size)]?.die();
  },
  machine_crash: ({ disk }) => disk.powerCut(),
  cancel: ({ command, person }) => command((run, parts) => person.cancel(run, parts)),
  early_answer: ({ command, person }) => command((run, parts) => person.answer(run, parts)),
  early_budget: ({ command, person }) => command((run, parts) => person.addBudget(run, parts)),
  second_driver: ({ startDriver }) => startDriver(),
  /** The second line of defence is tried: two drive at once, and neither knows of the other. */
  claim_lost({ file, startDriver }) {
    file().claim = undefined;
    startDriver();
  },
  clock_forward: ({ timeline, random }) => timeline.jump(random.below(random.pick([1_000, DAY]))),
  clock_back: ({ timeline, random }) => timeline.jump(-random.below(random.pick([1_000, DAY]))),
};
