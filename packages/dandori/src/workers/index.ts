export { type DriveResult, openParentLine, type ParentLine } from './line.ts';
export { createWorkers, type Workers, type WorkersOptions } from './processes.ts';
export { WorkerEnded } from './worker-process.ts';
