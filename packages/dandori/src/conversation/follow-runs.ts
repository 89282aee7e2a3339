import type { ConversationParts } from './conversation.ts';
import type { Background } from './drive-runs.ts';
import type { ConversationLedger } from './ledger.ts';
import { beginRun } from './start-run.ts';
import { type ConversationState, isReported } from './state.ts';

/**
 * The runs that an open conversation knows, whichever process began them. So their questions are answered by words that
 * reach this process, and their ends are reported here if the other process dies.
 */
export interface FollowedRuns {
  /** Starts the run of a message, or resumes it if it exists. */
  follow(run: string): Promise<void>;
  /** This process is about to journal the run. Its next call is `follow`. */
  willBegin(run: string): void;
  /** The next `follow` reads the run again. */
  forget(run: string): void;
  /** Follows the runs that others began, as far as they are known. */
  followOthers(): Promise<void>;
  /** Reads what others have written, in the conversation and in its open runs, and follows their runs. */
  readOthers(): Promise<void>;
}

interface Following {
  readonly ledger: ConversationLedger;
  readonly background: Background;
  readonly parts: ConversationParts;
}

export function createFollowedRuns({ ledger, background, parts }: Following): FollowedRuns {
  const followed = new Map<string, Promise<void>>();
  const begunHere = new Set<string>();

  function follow(run: string, isOthers = false): Promise<void> {
    const taken = followed.get(run) ?? followNow(run, isOthers);
    followed.set(run, taken);
    taken.catch((error: unknown) => {
      followed.delete(run);
      background.lose(run, error);
      parts.wake?.(run, ledger.id);
    });
    return taken;
  }

  async function followNow(run: string, isOthers: boolean): Promise<void> {
    const { state } = ledger;
    const message = state?.messages.get(state.runs.get(run) ?? '');
    if (state === undefined || message === undefined) return;
    const open = background.states().filter(({ end }) => end === undefined);
    const mind = await beginRun(run, { state, message, open }, parts);
    await background.take(run, mind, { isOthers });
  }

  async function followOthers(): Promise<void> {
    const others = unfinished(ledger.state).filter((run) => !followed.has(run) && !begunHere.has(run));
    // An unreadable run must not stop the others.
    for (const run of others) await follow(run, true).catch(() => {});
  }

  return {
    follow: (run) => follow(run),
    willBegin: (run) => void begunHere.add(run),
    forget: (run) => void followed.delete(run),
    followOthers,
    async readOthers() {
      await ledger.refresh();
      await followOthers();
      // The notice of a question may still be on its way. A run that cannot be read has a problem of its own.
      const looks = unfinished(ledger.state).map((run) => background.look(run));
      await Promise.allSettled(looks);
    },
  };
}

/** An exhausted run may have been given higher limits in the meantime, so it is checked again. */
export function unfinished(state: ConversationState | undefined): string[] {
  if (state === undefined) return [];
  return [...state.runs.keys()].filter(
    (run) => !isReported(state, run) || state.messages.get(run)?.outcome === 'exhausted',
  );
}
