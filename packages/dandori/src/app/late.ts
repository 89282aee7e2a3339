import type { Config, LoadOptions } from '../config/index.ts';
import type { PlanFile } from '../plan/read.ts';
import type { Dandori, DandoriOptions } from './library.ts';

/**
 * The functions of the library that need most of Dandori. They load it when they are first called, so that a program
 * that imports the library starts sooner.
 */
export async function openDandori(options?: DandoriOptions): Promise<Dandori> {
  return (await import('./library.ts')).openDandori(options);
}

export async function loadConfig(options?: LoadOptions): Promise<Config> {
  return (await import('../config/index.ts')).loadConfig(options);
}

export async function readPlanFile(path: string): Promise<PlanFile> {
  return (await import('../plan/read.ts')).readPlanFile(path);
}
