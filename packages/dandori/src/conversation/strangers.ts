import type { Message } from '../model/conversation.ts';
import type { Settings } from '../model/settings.ts';
import type { RunState } from '../run/state/state.ts';
import type { ConversationState } from './state.ts';

/** What is known of strangers in a conversation. */
export interface Strangers {
  /** The runs that have read a stranger's text, as far as the conversation knows. */
  readonly runs: ReadonlySet<string>;
  /** What these runs suggested to say next. */
  readonly suggested: ReadonlySet<string>;
}

/**
 * Whether a message may contain a stranger's words.
 *
 * S1  A run that is asked before it acts is not told them at its start: its first decision follows the user's
 *     words only. It reads them with `conversation.read`, and has read a stranger's text from then on.
 * S2  What a clean run wrote is told as it is.
 * S3  If the user takes up a suggestion of a run that had read a stranger's text, the words are not the user's: the
 *     user saw them, and not what they lead to.
 */
export function mayBeStrangers(message: Message, { runs, suggested }: Strangers): boolean {
  const { role, run, question, text } = message;
  const isOfThem = run !== undefined && runs.has(run);
  // An answer may be an option in the words of a tool, although it stands as the user's message.
  if (role === 'user') return (question !== undefined && isOfThem) || isSuggested(text, { suggested });
  return isMarked(message) ?? isOfThem;
}

/** Whether strangers' words are left out of what a new run is told, instead of counting as read from the start. */
export function isWithheld({ trust, mode }: Settings, mind: string): boolean {
  const isAsked = trust !== undefined && trust.policy !== 'observe';
  // The built-in planner obeys no text, and a direct answer calls nothing.
  return isAsked && mode !== 'direct' && mind !== 'built-in';
}

export function strangersOf(
  { messages }: Pick<ConversationState, 'messages'>,
  open: readonly RunState[] = [],
): Strangers {
  const all = [...messages.values()];
  const told = all.filter((one) => one.kind !== 'reminder' && isMarked(one) === true);
  const heard = open.filter(hasReadStrangers);
  const runs = new Set([...told.flatMap(({ run }) => run ?? []), ...heard.map(({ run }) => run)]);
  const suggested = new Set<string>();
  const said = new Set<string>();
  for (const message of all) {
    const { role, text, next } = message;
    // After a failure, the user's own goal is suggested again.
    if (role === 'user' && !isSuggested(text, { suggested })) said.add(folded(text));
    if (next === undefined || !mayBeStrangers(message, { runs, suggested })) continue;
    const words = folded(next.goal ?? next.text);
    if (!said.has(words)) suggested.add(words);
  }
  return { runs, suggested };
}

export function isSuggested(text: string, { suggested }: Pick<Strangers, 'suggested'>): boolean {
  return suggested.size > 0 && suggested.has(folded(text));
}

function folded(text: string): string {
  return text.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
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
