import type { Message } from '../model/conversation.ts';
import type { Settings } from '../model/settings.ts';
import type { RunState } from '../run/state/state.ts';
import type { ConversationState } from './state.ts';

/**
 * Whether a message may contain a stranger's words. `runs` are those that have read such words.
 *
 * S1  A run that is asked before it acts is not told them at its start: its first decision follows the user's
 *     words only. It reads them with `conversation.read`, and has read a stranger's text from then on.
 * S2  What a clean run wrote is told as it is.
 */
export function mayBeStrangers(message: Message, runs: ReadonlySet<string>): boolean {
  const { role, run, question } = message;
  const isOfThem = run !== undefined && runs.has(run);
  // An answer may be an option in the words of a tool, although it stands as the user's message.
  if (role === 'user') return question !== undefined && isOfThem;
  return isMarked(message) ?? isOfThem;
}

/** Whether strangers' words are left out of what a new run is told, instead of counting as read from the start. */
export function isWithheld({ trust, mode }: Settings, mind: string): boolean {
  const isAsked = trust !== undefined && trust.policy !== 'observe';
  // The built-in planner obeys no text, and a direct answer calls nothing.
  return isAsked && mode !== 'direct' && mind !== 'built-in';
}

/** The runs that have read a stranger's text, as far as the conversation knows. */
export function runsWithStrangers(
  { messages }: Pick<ConversationState, 'messages'>,
  open: readonly RunState[] = [],
): ReadonlySet<string> {
  const told = [...messages.values()].filter((one) => one.kind !== 'reminder' && isMarked(one) === true);
  const heard = open.filter(hasReadStrangers);
  return new Set([...told.flatMap(({ run }) => run ?? []), ...heard.map(({ run }) => run)]);
}

export function hasReadStrangers({ settings, orders, tasks }: RunState): boolean {
  if (settings.trust !== undefined) return orders.strangersSince !== undefined;
  // Nothing was recorded about it.
  return [...tasks.values()].some(({ attempts }) => attempts > 0);
}

/** Messages of version 0.2 have a tally, and no mark. Those that say how an answer was understood have neither. */
function isMarked({ role, hasHeardStrangers, tally }: Message): boolean | undefined {
  if (role === 'user') return false;
  return hasHeardStrangers ?? (tally === undefined ? undefined : true);
}
