import { systemClock } from '../../src/app/dandori.ts';
import { answerQuestion, continueRun, pauseRun } from '../../src/commands/index.ts';
import type { Store } from '../../src/index.ts';
import { foldRun } from '../../src/run/state/apply.ts';
import type { Parked } from '../../src/store/index.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';

const parts = (store: Store) => ({ ...store, secrets: [], clock: systemClock });

/** A store in which a paused run is continued just after its driver has read the journal for the last time. */
export function continuedLate(store: Store): Store {
  const journal: Store['journal'] = {
    ...store.journal,
    async claim(run) {
      const claim = await store.journal.claim(run);
      const release = claim.release.bind(claim);
      // The same object: the driver shows it with every append.
      return Object.assign(claim, {
        release: async (parked?: Parked) => {
          const { paused: isPaused } = foldRun(run, await store.journal.read(run));
          if (isPaused !== undefined) await continueRun({ run }, parts(store));
          await release(parked);
        },
      });
    },
  };
  return { ...store, journal };
}

/** What a user does in another process, while a tool of the run works. */
export async function paused(run: string, store: Store): Promise<string> {
  await pauseRun({ run }, parts(store));
  return 'paused';
}

/** What `dandori answer` does in another process. */
export function approved(run: string, store: Store): Promise<void> {
  const toolbox = createFunctionToolbox(systemClock, {});
  const checking = { ...parts(store), toolbox, check: () => [] };
  return answerQuestion({ run, question: 'q1', answer: 'approve' }, checking);
}
