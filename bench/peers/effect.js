import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const TASKS = 10;
/** Milliseconds that a call takes before and after its effect. */
const TAKES = 15;

/**
 * What the world outside sees: a line for each effect, synced.
 *
 * @param {string} folder
 * @param {number} index
 */
export async function send(folder, index) {
  await sleep(TAKES);
  const file = openSync(join(folder, 'effects.txt'), 'a');
  writeSync(file, `${index}\n`);
  fsyncSync(file);
  closeSync(file);
  await sleep(TAKES);
}

/** @param {string} folder */
export function effectsIn(folder) {
  const file = join(folder, 'effects.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [];
}
