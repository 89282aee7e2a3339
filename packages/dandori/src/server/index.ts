export type { TalkedRun } from './api.ts';
