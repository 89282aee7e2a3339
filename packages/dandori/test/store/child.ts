/** What another process does to a journal: `node child.ts DIRECTORY COMMAND …`. */

import { DandoriError } from '../../src/model/error.ts';
import { eventAt } from '../../src/store/conformance/cases.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { tryLock } from '../../src/store/files/lock.ts';

const [directory = '', command = '', ...rest] = process.argv.slice(2);
const journal = createJsonlJournal(directory);

switch (command) {
  case 'claim':
    await journal.claim(rest[0] ?? '');
    say('claimed');
    setInterval(() => {}, 1_000);
    break;
  case 'lock':
    tryLock(`${directory}/${rest[0]}.jsonl.lock`);
    say('locked');
    setInterval(() => {}, 1_000);
    break;
  case 'append':
    await appendMany(rest[0] ?? '', Number(rest[1]), rest[2] ?? '');
    say('done');
    break;
  case 'claim-in-turn':
    await claimInTurn(rest[0] ?? '', Number(rest[1]), rest[2] ?? '');
    say('done');
    break;
  default:
    throw new Error(`unknown: ${command}`);
}

function say(word: string): void {
  process.stdout.write(`${word}\n`);
}

/** Compare-and-append until it fits. */
async function appendMany(run: string, times: number, by: string): Promise<void> {
  let last = (await journal.read(run)).length;
  for (let done = 0; done < times; ) {
    try {
      await journal.append(run, last, [
        eventAt(run, last + 1, { type: 'cancel_requested', data: { reason: String(done), by } }),
      ]);
      done++;
      last++;
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'journal-conflict')) throw error;
      last += (await journal.read(run, last)).length;
    }
  }
}

/** Claims, notes the beginning and the end, and releases. No other process may write in between. */
async function claimInTurn(run: string, times: number, by: string): Promise<void> {
  for (let done = 0; done < times; ) {
    let claim: Awaited<ReturnType<typeof journal.claim>>;
    try {
      claim = await journal.claim(run);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    const last = (await journal.read(run)).length;
    for (const [index, reason] of ['begin', 'end'].entries()) {
      await journal.append(run, last + index, [
        eventAt(run, last + index + 1, { type: 'cancel_requested', data: { reason, by } }),
      ]);
    }
    await claim.release();
    done++;
  }
}
