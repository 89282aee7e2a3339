import type { Parts } from '../driver/index.ts';
import {
  CONVERSATION_VERSION,
  type ConversationEvent,
  type ConversationFact,
} from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import { redact, shown } from '../model/redact.ts';
import type { ConversationJournal } from '../store/index.ts';
import { applyConversation, type ConversationState, foldConversation, isReported } from './state.ts';

/**
 * One process's access to a conversation's journal. Other processes may write at the same time.
 *
 * M1  A write is based on everything written before it. If another process wrote first, the facts are
 *     computed again.
 * M2  Writes of this process are serialized, in the order of the requests.
 */
export interface ConversationLedger {
  readonly id: string;
  /** Undefined before the first message. */
  readonly state: ConversationState | undefined;
  /** Writes what `facts` returns for the newest state. It may return an empty list. */
  write(facts: (state: ConversationState | undefined) => readonly ConversationFact[]): Promise<void>;
  /** Reads what other processes have written since the first message. */
  refresh(): Promise<void>;
  close(): void;
}

interface LedgerOptions extends Pick<Parts, 'clock' | 'secrets'> {
  readonly conversations: ConversationJournal;
  readonly onChange: () => void;
}

export async function openConversationLedger(
  { id, isNew = false }: { readonly id: string; readonly isNew?: boolean | 'perhaps' },
  { conversations: journal, clock, secrets, onChange }: LedgerOptions,
): Promise<ConversationLedger> {
  let state = isNew === true ? undefined : foldConversation(await read(isNew === 'perhaps'));
  let queue: Promise<unknown> = Promise.resolve();
  let unwatch = () => {};
  const follow = () => {
    unwatch = journal.watch(id, () => void ledger.refresh().catch(() => {}));
  };

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  }

  async function read(isMissed: boolean): Promise<ConversationEvent[]> {
    try {
      return await journal.read(id);
    } catch (error) {
      if (isMissed && error instanceof DandoriError && error.code === 'conversation-not-found') return [];
      throw error;
    }
  }

  async function catchUp(): Promise<boolean> {
    const events = await journal.read(id, state?.seq ?? 0);
    for (const event of events) state = applyConversation(state, event);
    return events.length > 0;
  }

  async function writeNow(facts: Parameters<ConversationLedger['write']>[0]): Promise<void> {
    for (;;) {
      const wanted = facts(state);
      if (wanted.length === 0) return;
      const last = state?.seq ?? 0;
      const at = Math.max(clock.now(), state?.lastAt ?? 0);
      const events = wanted.map(
        (fact, index) =>
          ({
            v: CONVERSATION_VERSION,
            conversation: id,
            seq: last + 1 + index,
            at,
            ...shown(redact(fact, secrets)),
          }) as ConversationEvent,
      );
      try {
        if (state === undefined) await journal.create(id, events);
        else await journal.append(id, last, events);
      } catch (error) {
        // Another process wrote first, maybe even the first event.
        if (!(error instanceof DandoriError && ['journal-conflict', 'run-exists'].includes(error.code)))
          throw error;
        if (state === undefined) follow();
        await catchUp();
        continue;
      }
      const isFirst = state === undefined;
      for (const event of events) state = applyConversation(state, event);
      if (isFirst) follow();
      onChange();
      return;
    }
  }

  const ledger: ConversationLedger = {
    id,
    get state() {
      return state;
    },
    write: (facts) => inTurn(() => writeNow(facts)),
    refresh: () =>
      inTurn(async () => {
        if (state !== undefined && (await catchUp())) onChange();
      }),
    close: () => unwatch(),
  };
  if (state !== undefined) follow();
  return ledger;
}

/**
 * Whether the conversation still lacks a report about the end of the run. A deleted conversation needs none.
 */
export async function isAwaited(
  run: string,
  conversation: string,
  journal: Pick<ConversationJournal, 'read'>,
): Promise<boolean> {
  try {
    const state = foldConversation(await journal.read(conversation));
    // A fork names the conversation of its original run, but it is not one of its runs.
    return state === undefined || (state.runs.has(run) && !isReported(state, run));
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    return error.code !== 'conversation-not-found';
  }
}
