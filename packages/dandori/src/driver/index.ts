export { systemClock } from './clock.ts';
export { type Drivable, drive, type StartedRun, type StopSignals } from './drive.ts';
export { unexpected } from './outcomes.ts';
export type { Durations, Parts } from './parts.ts';
export { answerText } from './perform.ts';
export { callDigest } from './questions.ts';
export { createResults, fillArgs, type Results, readPart, withOutput } from './results.ts';
export { decidedFacts } from './thoughts.ts';
