import type { ConversationState } from '../core/conversation.ts';
import { contextFor } from '../core/conversation-context.ts';
import { RUN_TOOLS } from '../core/own-tools.ts';
import type { RunState } from '../core/state.ts';
import { STEP_OPERATION } from '../core/step.ts';
import type { Message } from '../domain/conversation.ts';
import { DandoriError } from '../domain/error.ts';
import type { Settings } from '../domain/settings.ts';
import type { Mind } from '../ports/mind.ts';
import type { ConversationParts } from './conversation.ts';
import { startRun } from './inbox.ts';
import type { Parts } from './parts.ts';

interface Beginning {
  readonly state: ConversationState;
  /** What was said. */
  readonly message: Message;
  /** The other runs that have not ended. */
  readonly open: readonly RunState[];
}

/** Writes the run of a message down, where it is not there, and gives the mind that decides in it. */
export async function beginRun(
  run: string,
  { state, message, open }: Beginning,
  parts: ConversationParts,
): Promise<Mind> {
  const started = await startedWith(run, parts);
  const mind = await mindOf(started ?? state.model, parts);
  if (started !== undefined) return mind;
  const { conversation, userId } = state;
  const context = contextFor(state, { until: message.id, open });
  const settings = settingsOf(await parts.settingsFor(userId), parts);
  const beginning = { goal: message.text, run, conversation, context, userId, settings };
  await startRun(beginning, { ...parts, mind });
  return mind;
}

/** The model that the run was begun with; undefined where there is no such run yet. */
async function startedWith(run: string, { journal }: Parts): Promise<string | undefined> {
  try {
    const [first] = await journal.read(run);
    return first?.type === 'run_started' ? first.data.mind : undefined;
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'run-not-found') return undefined;
    throw error;
  }
}

/** A model that is not configured any more must not keep a run from going on. */
async function mindOf(name: string | undefined, { mindFor, mind }: ConversationParts): Promise<Mind> {
  try {
    return await mindFor(name);
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    return mind;
  }
}

/**
 * A plan of steps is always asked about first. What one run tells another needs no approval: it is the user's own word,
 * and says yes to nothing. A tool of the user's that has taken its place may do anything.
 */
function settingsOf(settings: Settings, { toolbox }: Pick<Parts, 'toolbox'>): Settings {
  const theirs = toolbox.tools();
  const ours = Object.keys(RUN_TOOLS).filter((name) => !theirs.has(name));
  const own = Object.fromEntries(ours.map((name) => [name, 'never' as const]));
  return { ...settings, approvals: { ...settings.approvals, [STEP_OPERATION]: 'plan', ...own } };
}
