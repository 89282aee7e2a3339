import type { ConversationState } from '../core/conversation.ts';
import { contextFor } from '../core/conversation-context.ts';
import type { RUN_TOOLS } from '../core/own-tools.ts';
import { asksToStop } from '../core/plain-answer.ts';
import type { RunState } from '../core/state.ts';
import { STEP_OPERATION } from '../core/step.ts';
import type { Message } from '../domain/conversation.ts';
import { DandoriError } from '../domain/error.ts';
import type { ApprovalPolicy } from '../domain/mode.ts';
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
  const isOurs = !parts.toolbox.tools().has('run.cancel');
  const mayCancel = isOurs && (asksToStop(message.text) || !hasHeardTools(state, open));
  const beginning = { goal: message.text, run, conversation, context, userId, settings, mayCancel };
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

/** Of the operations by which one run reaches another. To tell is only to add a note: that answers nothing. */
const OWN_POLICIES: Readonly<Record<keyof typeof RUN_TOOLS, ApprovalPolicy>> = {
  'run.tell': 'never',
  // But for what the user's own message led to (`core/approval`).
  'run.cancel': 'always',
};

/** A plan of steps is always asked about first. A tool of the user's with the name of ours keeps the user's policy. */
function settingsOf(settings: Settings, { toolbox }: Pick<Parts, 'toolbox'>): Settings {
  const theirs = toolbox.tools();
  const own = Object.fromEntries(Object.entries(OWN_POLICIES).filter(([name]) => !theirs.has(name)));
  return { ...settings, approvals: { ...settings.approvals, [STEP_OPERATION]: 'plan', ...own } };
}

/** Whether a tool has spoken in the conversation: what it said may stand in what the mind is told. */
function hasHeardTools({ messages }: ConversationState, open: readonly RunState[]): boolean {
  const isTold = [...messages.values()].some(({ role, tally }) => role === 'agent' && tally !== undefined);
  return isTold || open.some(({ tasks }) => [...tasks.values()].some(({ attempts }) => attempts > 0));
}
