export { systemClock } from './clock.ts';
export { type Drivable, drive, type Leaving, type StartedRun } from './drive.ts';
export { fillArgs } from './fill-args.ts';
export { unexpected } from './outcomes.ts';
export type { Durations, Parts } from './parts.ts';
export { answerText } from './perform.ts';
export { callDigest } from './questions.ts';
export { createResults, type Results, readPart } from './results.ts';
export { decidedFacts } from './thoughts.ts';
