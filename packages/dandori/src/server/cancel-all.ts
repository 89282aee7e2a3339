import { DandoriError } from '../domain/error.ts';
import type { Conversation } from '../engine/conversation.ts';

interface Asked {
  readonly reason: string;
  readonly by: string | undefined;
}

/** Tells all runs that have not ended, and says which. One that has ended meanwhile needs no telling. */
export async function cancelAll(
  conversation: Pick<Conversation, 'runs' | 'cancel'>,
  { reason, by }: Asked,
): Promise<string[]> {
  const told: string[] = [];
  for (const { run, outcome } of conversation.runs()) {
    if (!['open', 'waiting', 'paused'].includes(outcome)) continue;
    try {
      await conversation.cancel(run, reason, { by });
      told.push(run);
    } catch (error) {
      if (!(error instanceof DandoriError && error.code === 'run-ended')) throw error;
    }
  }
  return told;
}
