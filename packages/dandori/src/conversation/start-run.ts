import { asksToStop, MOST_ATTACHMENTS, optionsNamed, startRun } from '../commands/index.ts';
import type { Parts } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import type { Message } from '../model/conversation.ts';
import type { MayAnswer } from '../model/decision.ts';
import { DandoriError } from '../model/error.ts';
import { stringifyJson } from '../model/json.ts';
import type { RUN_TOOLS } from '../model/own-tools.ts';
import type { Question } from '../model/question.ts';
import type { ApprovalPolicy, Settings } from '../model/settings.ts';
import { type Attachment, STEP_OPERATION } from '../model/task.ts';
import { clip, roughTokens, withoutTag } from '../model/text.ts';
import { progressOf } from '../run/brief.ts';
import type { RunState } from '../run/state/state.ts';
import type { ConversationParts } from './conversation.ts';
import { canBeRead } from './interpret.ts';
import { attachmentsOf, type ConversationState, languageAt } from './state.ts';
import { isSuggested, isWithheld, mayBeStrangers, type Strangers, strangersOf } from './strangers.ts';

interface RunStart {
  readonly state: ConversationState;
  /** The user's message. */
  readonly message: Message;
  /** The other runs that have not ended. */
  readonly open: readonly RunState[];
}

/** Journals the run of a message if it is missing, and returns the mind that decides in it. */
export async function beginRun(
  run: string,
  { state, message, open }: RunStart,
  parts: ConversationParts,
): Promise<Mind> {
  const started = await startedWith(run, parts);
  const mind = await mindOf(started ?? state.model, parts);
  if (started !== undefined) return mind;
  const { conversation, userId } = state;
  const own = settingsOf(await parts.settingsFor(userId), parts);
  const language = own.language ?? languageAt(state, message.id);
  const settings = { ...own, ...(language !== undefined && { language }) };
  const strangers = strangersOf(state, open);
  const isTakenUp = isSuggested(message.text, strangers);
  const canRead = !parts.toolbox.tools().has('conversation.read');
  const withheld = canRead && isWithheld(settings, mind.name) ? strangers : undefined;
  const context = contextFor(state, { until: message.id, open, withheld });
  const isOurs = !parts.toolbox.tools().has('run.cancel');
  const isHeard = hasHeardStrangers({ state, open });
  // After external text only the user may say which run is meant, so there must be no choice.
  const isClear = isHeard
    ? open.length === 1 && asksToStop(message.text, { isOnly: true })
    : asksToStop(message.text);
  const mayCancel = isOurs && !isTakenUp && (isClear || !hasHeardTools(state, open));
  const mayAnswer = isTakenUp ? undefined : answersIn(message.text, { state, open }, parts);
  const beginning = {
    goal: message.text,
    run,
    conversation,
    context,
    userId,
    settings,
    mayCancel,
    mayAnswer,
    stored: filesFor(message, state),
    ...((isTakenUp || (isHeard && withheld === undefined)) && { hasHeardStrangers: true as const }),
    ...(isTakenUp && { isSuggested: true as const }),
  };
  try {
    await startRun(beginning, { ...parts, mind });
    return mind;
  } catch (error) {
    // The id belongs to this message, so another request or process has begun the same run.
    if (!(error instanceof DandoriError && error.code === 'run-exists')) throw error;
    return mindOf((await startedWith(run, parts)) ?? state.model, parts);
  }
}

/**
 * The files of the message, and the latest ones of earlier messages. The run is told the names of those, because their
 * content may be a stranger's text.
 */
function filesFor({ id, attachments = [] }: Message, state: ConversationState): readonly Attachment[] {
  const room = Math.max(0, MOST_ATTACHMENTS - attachments.length);
  const earlier = room === 0 ? [] : attachmentsOf(state, id).slice(-room);
  return [...earlier.map((file) => ({ ...file, earlier: true })), ...attachments];
}

/** The model that the run was started with. Undefined if the run does not exist yet. */
async function startedWith(run: string, { journal }: Parts): Promise<string | undefined> {
  try {
    const [first] = await journal.read(run);
    return first?.type === 'run_started' ? first.data.mind : undefined;
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'run-not-found') return undefined;
    throw error;
  }
}

/** A run must be able to continue even if its model is no longer configured. */
async function mindOf(name: string | undefined, { mindFor, mind }: ConversationParts): Promise<Mind> {
  try {
    return await mindFor(name);
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    return mind;
  }
}

/**
 * Approval policies of the operations by which one run reaches another. `tell` only adds a note, and a note
 * answers nothing.
 */
const OWN_POLICIES: Readonly<Record<keyof typeof RUN_TOOLS, ApprovalPolicy>> = {
  'conversation.read': 'never',
  'plan.list': 'never',
  'plan.activate': 'never',
  'run.tell': 'never',
  // Exception: the answer that the user's own message gives (`run/approval-policy`).
  'run.answer': 'always',
  // Exception: what the user's own message led to (`run/approval-policy`).
  'run.cancel': 'always',
};

/**
 * A plan with steps always needs approval. A user's tool with the same name as one of Dandori keeps the
 * user's policy.
 */
function settingsOf(settings: Settings, { toolbox }: Pick<Parts, 'toolbox'>): Settings {
  const theirs = toolbox.tools();
  const own = Object.fromEntries(Object.entries(OWN_POLICIES).filter(([name]) => !theirs.has(name)));
  return { ...settings, approvals: { ...settings.approvals, [STEP_OPERATION]: 'plan', ...own } };
}

/**
 * What the message says about the open questions of other runs. An approval is not among them: only a yes of the user
 * approves, and `conversation/interpret` reads that without a model. Questions of other runs are left out too if
 * external content was read: it may have told the model how to read the message. Then the user is asked.
 */
function answersIn(
  text: string,
  { state, open }: Pick<RunStart, 'state' | 'open'>,
  { toolbox }: Pick<Parts, 'toolbox'>,
): MayAnswer[] | undefined {
  if (toolbox.tools().has('run.answer')) return undefined;
  const asked = open
    .filter(({ run }) => !hasHeardStrangers({ state, open, except: run }))
    .flatMap(({ run, questions }) =>
      [...questions.values()]
        .filter(({ answer, question }) => answer === undefined && canBeRead(question))
        .map(({ question }) => mayAnswer(text, run, question)),
    );
  return asked.length === 0 ? undefined : asked;
}

function mayAnswer(text: string, run: string, question: Question): MayAnswer {
  const { options = [] } = question;
  const named = optionsNamed(text, question).flatMap(({ label, value }) => [label, value]);
  return {
    run,
    question: question.id,
    ...(options.length > 0 && { answers: named }),
    ...(asksToStop(text) && { declined: true }),
  };
}

/** Whether tool output is part of the conversation. The model's context may contain it. */
function hasHeardTools({ messages }: ConversationState, open: readonly RunState[]): boolean {
  const isTold = [...messages.values()].some(({ role, tally }) => role === 'agent' && tally !== undefined);
  return isTold || open.some(({ tasks }) => [...tasks.values()].some(({ attempts }) => attempts > 0));
}

interface Heard extends Pick<RunStart, 'state' | 'open'> {
  readonly except?: string;
}

/** Whether the conversation contains output that may hold external content, in any run but `except`. */
function hasHeardStrangers({ state, open, except }: Heard): boolean {
  const isTold = [...state.messages.values()].some(
    ({ role, run, tally, hasHeardStrangers: isHeard = tally !== undefined }) =>
      role === 'agent' && isHeard && run !== except,
  );
  return isTold || open.some(({ run, orders }) => orders.strangersSince !== undefined && run !== except);
}

/** The approximate token limit of the history. Above it, the older half is dropped. */
const MOST_TOKENS = 6_000;
const LONGEST_MESSAGE = 2_000;
const GOAL_SHOWN = 200;
const MOST_RUNS = 20;
const MOST_OPTIONS = 20;
const LONGEST_FORM = 1_000;

interface Told {
  readonly until: string;
  readonly open: readonly RunState[];
  /** Whose words are left out. */
  readonly withheld?: Strangers | undefined;
}

/**
 * What the model of a new run is told about its conversation: the earlier messages, then the unfinished runs.
 * The text only grows from run to run, so that provider caches hit. When it is too long, its older half is
 * dropped at once. Undefined if there is nothing to tell.
 */
export function contextFor(
  { messages, runs, plans, activePlan }: ConversationState,
  { until, open, withheld }: Told,
): string | undefined {
  const all = [...messages.values()];
  const earlier = all.slice(
    0,
    all.findIndex(({ id }) => id === until),
  );
  const lines = recent(
    earlier.map((one) => lineOf(one, withheld !== undefined && mayBeStrangers(one, withheld))),
  );
  const others = open.filter(({ run }) => runs.get(run) !== until).slice(0, MOST_RUNS);
  if (lines.length + others.length === 0) return undefined;
  const said = lines.length === 0 ? [] : ['What was said so far:', ...lines];
  const under =
    others.length === 0
      ? []
      : ['Runs of this conversation that have not ended:', ...others.map((one) => runLine(one, withheld))];
  const names = [...plans].map(
    ([run, name]) =>
      `- ${withheld?.runs.has(run) ? '(name not shown)' : stringifyJson(name)}, run ${run}${run === activePlan ? ', active' : ''}`,
  );
  const named = names.length === 0 ? [] : ['Plans of this conversation:', ...names.slice(-MOST_RUNS)];
  return `<conversation>\n${withoutTag('conversation', [...said, ...named, ...under].join('\n'))}\n</conversation>`;
}

/** A line by a tool or a model must not start like a line of the user. */
function lineOf({ id, role, kind, text, run, step, question }: Message, isWithheldHere: boolean): string {
  const body = isWithheldHere
    ? `(not shown: it may contain text of other people; conversation.read {"message": "${id}"} reads it)`
    : clip(text.trim(), LONGEST_MESSAGE).replaceAll('\n', '\n  ');
  if (role === 'user') return `user: ${body}`;
  if (kind === 'report') return `you (report on step ${step} of run ${run}): ${body}`;
  return kind === 'question' ? `you (question ${question} of run ${run}): ${body}` : `you: ${body}`;
}

function recent(lines: readonly string[]): readonly string[] {
  const weights = lines.map(roughTokens);
  let from = 0;
  let total = 0;
  for (const [index, weight] of weights.entries()) {
    total += weight;
    if (total <= MOST_TOKENS) continue;
    for (; total > MOST_TOKENS / 2 && from < index; from++) total -= weights[from] ?? 0;
  }
  return lines.slice(from);
}

function runLine(state: RunState, withheld: Told['withheld']): string {
  const progress = progressOf(state);
  const open = [...state.questions.values()].filter(({ answer }) => answer === undefined);
  const parts = [
    ...(progress === undefined ? [] : [`${progress.done} of ${progress.total} steps done`]),
    ...open.map(({ question }) =>
      withheld?.runs.has(state.run)
        ? waitsFor(question)
        : `${waitsFor(question)}: ${questionWithOptions(question)}`,
    ),
  ];
  const isHidden = withheld !== undefined && isSuggested(state.goal, withheld);
  const goal = isHidden ? '(goal not shown)' : stringifyJson(clip(state.goal, GOAL_SHOWN));
  return `- run ${state.run}, ${goal}: ${parts.length === 0 ? 'under way' : parts.join('; ')}`;
}

/** With its options, so that the model knows what the user's words can mean. */
export function questionWithOptions({ text, options = [], form }: Question): string {
  const line = (words: string) => clip(words.replaceAll(/\s+/g, ' '), GOAL_SHOWN);
  const labels = options.slice(0, MOST_OPTIONS).map(({ label }, index) => `${index + 1}. ${line(label)}`);
  const fields = form === undefined ? [] : [`form ${clip(stringifyJson(form), LONGEST_FORM)}`];
  const choices = [...labels, ...fields].join(' | ');
  return `${line(text)}${choices === '' ? '' : ` [${choices}]`}`;
}

function waitsFor({ id, kind }: Question): string {
  return `waits for the user's answer to ${id} (${kind})`;
}
