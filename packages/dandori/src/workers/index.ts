export { openParentLine, type ParentLine } from './line.ts';
export { createWorkers, WorkerEnded, type Workers, type WorkersOptions } from './processes.ts';
