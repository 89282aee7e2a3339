import * as z from 'zod';
import { answerQuestion, cancelRun, checkGoal, type GivenAttachment, newId } from '../commands/index.ts';
import type { Parts, StopSignals } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import { type ConversationFact, type Message, tally } from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import { type Json, parseJson, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import type { Settings } from '../model/settings.ts';
import { type Language, spokenLanguage } from '../model/text.ts';
import { foldRun } from '../run/state/apply.ts';
import type { ConversationJournal, Keys } from '../store/index.ts';
import {
  askedQuestionSchema,
  openQuestions,
  outcomeOf,
  type Report,
  report,
  runOutcome,
} from '../views/report.ts';
import { answerAsMessage, answerForClient, readingNotice, readReply } from './answer-value.ts';
import {
  type Background,
  createBackground,
  createChanges,
  type RunPhase,
  runPhaseSchema,
} from './drive-runs.ts';
import { createFollowedRuns, unfinished } from './follow-runs.ts';
import { answerOnce, interpretOnce } from './inbox.ts';
import { type Asked, type GivenAnswer, type Interpretation, interpret, type Why } from './interpret.ts';
import { openConversationLedger } from './ledger.ts';
import { remindersOf, tallyOfRun } from './reports.ts';
import {
  type ConversationState,
  freeName,
  type NamedPlan,
  opening,
  plansOf,
  replyId,
  saidId,
  undelivered,
  type Written,
} from './state.ts';
import { activatePlan, deliverWords, othersOf } from './tell-run.ts';

/**
 * `begun`: the message started a run. `answered`: the message answered a question. Both include the status of
 * the run: ended, waiting for the user, or running in the background. `unclear`: the message is about open
 * questions and answers none; `why` says why. Nothing is done.
 */
export type Said =
  | { readonly kind: 'begun'; readonly run: string; readonly standing: RunPhase }
  | {
      readonly kind: 'answered';
      readonly run: string;
      readonly question: string;
      /** The option that was chosen, as the user knows it. */
      readonly chose?: string;
      readonly declined?: boolean;
      readonly standing: RunPhase;
    }
  | { readonly kind: 'unclear'; readonly why: Why; readonly questions: readonly Asked[] };

export const conversationRunSchema = z.object({
  run: z.string(),
  goal: z.string(),
  message: z.string().describe('The message that it was started for'),
  outcome: runOutcome,
  standing: runPhaseSchema.optional().describe('Absent as long as the prompt waits for it'),
  progress: tally.optional().describe('How far its plan is; absent if it has no tasks'),
  questions: z.array(askedQuestionSchema).readonly().describe('Those that are open'),
});
export interface ConversationRun extends Readonly<z.infer<typeof conversationRunSchema>> {
  /** Why the run can't be driven, if the cause lies outside the run. */
  readonly problem?: unknown;
}

/** A question of a run. */
interface Answered {
  readonly run: string;
  readonly question: string;
}

export interface SayOptions extends SpeakOptions {
  readonly onBegun?: (run: string) => void;
  /** A message sent twice under the same key is recorded once. */
  readonly key?: string;
  /**
   * The last message that the sender had seen, or '' if there was none. This message answers no question
   * asked later.
   */
  readonly seen?: string | undefined;
  /** The language of the user, if no message has told it yet. */
  readonly language?: Language | undefined;
  /** Files for the run of this message. A message with files answers no question. Later runs can read them too. */
  readonly attachments?: readonly GivenAttachment[] | undefined;
}

export interface SpeakOptions {
  /** The sender, if it is not the owner of the conversation. */
  readonly by?: string | undefined;
  /** If false, the call returns as soon as the message is journaled. */
  readonly waits?: boolean;
}

interface AnswerOptions extends SpeakOptions {
  readonly comment?: string | undefined;
  readonly declined?: boolean | undefined;
}

/**
 * A chat that owns runs. A message starts a run, and this process drives it. Several runs can be active at
 * once.
 *
 * V1  A message is journaled together with the id of its run before the run starts. After a crash the run is
 *     started.
 * V2  A message of the agent is written once. It stays in `undelivered` until a client acknowledges it.
 * V3  Only a message by the user answers a question, whatever its kind. What a model passes on is a note.
 */
export interface Conversation extends AsyncDisposable {
  readonly id: string;
  /** Resolves when the client no longer needs to wait for the run. */
  say(text: string, options?: SayOptions): Promise<Said>;
  answer(asked: Answered, answer: Json, options?: AnswerOptions): Promise<Said>;
  /** Rejects the proposed plan of a run and gives the reason, answers its question, or adds a note. */
  tell(run: string, text: string, options?: Pick<SpeakOptions, 'by'>): Promise<void>;
  cancel(run: string, reason: string, options?: Pick<SpeakOptions, 'by'>): Promise<void>;
  readonly state: ConversationState | undefined;
  messages(): readonly Written[];
  /** The agent's unacknowledged messages, oldest first. */
  undelivered(): readonly Written[];
  /**
   * Acknowledges that a client has shown the message. It is safe to call twice; only the first call returns
   * true.
   */
  acknowledge(message: string): Promise<boolean>;
  /** Newest last. */
  runs(): readonly ConversationRun[];
  questions(): readonly Asked[];
  report(run: string): Promise<Report>;
  /** The plans by name, in the order in which they were proposed. */
  plans(): readonly NamedPlan[];
  /** Makes a plan the active one, by its name or its run. */
  activatePlan(plan: string): Promise<NamedPlan>;
  /** The model for the runs started from now on. */
  readonly model: string;
  useModel(name: string): Promise<void>;
  /** Calls back on each change: a new message, or a new status of a run. */
  watch(changed: () => void): () => void;
  /** Resolves when every run has ended or waits for the user. */
  settled(): Promise<void>;
  /**
   * Drives a run of this conversation as far as it goes. Undefined if the run belongs to another
   * conversation.
   */
  drive(run: string, leaving?: StopSignals): Promise<Report | undefined>;
  /**
   * Starts nothing more, and lets the running calls finish for at most `grace` milliseconds. The runs resume
   * when the conversation is opened again.
   */
  close(options?: { readonly grace?: number }): Promise<void>;
}

export interface ConversationParts extends Parts {
  readonly conversations: ConversationJournal;
  readonly keys: Keys;
  readonly userId?: string | undefined;
  readonly language?: Language;
  settingsFor(userId: string | undefined): Promise<Settings>;
  /** Throws if there is no such model. */
  mindFor(name: string | undefined): Promise<Mind>;
  /** Called for each run that can continue, instead of driving it at once. The callee then calls `drive`. */
  readonly wake?: ((run: string, conversation: string) => void) | undefined;
  readonly onClose?: () => void;
}

/** The same user gets the same conversation for the same key, even if it was not journaled yet. */
export async function newConversation(
  { userId = '', key }: { readonly userId: string | undefined; readonly key: string | undefined },
  { keys, clock }: Pick<ConversationParts, 'keys' | 'clock'>,
): Promise<{ readonly id: string; readonly isNew: true | 'perhaps' }> {
  const id = newId(clock.now());
  if (key === undefined) return { id, isNew: true };
  const held = await keys.hold(`conversation\n${userId}\n${key}`, stringifyJson({ conversation: id }));
  return { id: (parseJson(held) as { conversation: string }).conversation, isNew: 'perhaps' };
}

/** A new conversation is journaled with its first message. With `isNew: 'perhaps'` it may exist already. */
export async function openConversation(
  given: { readonly id: string; readonly isNew?: boolean | 'perhaps' },
  parts: ConversationParts,
): Promise<Conversation> {
  const { id } = given;
  const { wake } = parts;
  const { changed: onChange, watch } = createChanges();
  const journaled = createChanges();
  const ledger = await openConversationLedger(given, { ...parts, onChange: journaled.changed });
  let chosen = ledger.state?.model;
  const background: Background = createBackground({
    parts,
    others: othersOf(ledger, parts),
    tell: (messages) =>
      ledger.write((state) => {
        const language = parts.language ?? state?.language;
        const reminders = remindersOf(messages, { states: background.states(), language });
        return newOnes([...messages, ...reminders], state);
      }),
    onPlan: (run, { name, type }) =>
      ledger.write((state) => {
        const known = state?.plans.get(run);
        const isNew = known === undefined || (type === 'plan_activated' && state?.inactive.has(run));
        return state === undefined || !isNew
          ? []
          : [{ type, data: { run, name: known ?? freeName(name, state) } }];
      }),
    onChange,
    wake: wake && ((run) => wake(run, id)),
  });
  const runs = createFollowedRuns({ ledger, background, parts });
  journaled.watch(() => void runs.followOthers());
  journaled.watch(onChange);
  const speaker = (by: string | undefined) => by ?? ledger.state?.userId;

  async function begin(
    { text, attachments }: Pick<Message, 'text' | 'attachments'>,
    run: string,
    hint?: Language,
  ): Promise<void> {
    const message: Message = { ...said(text, run), run, ...(attachments && { attachments }) };
    runs.willBegin(run);
    await ledger.write((state) =>
      state?.messages.has(message.id)
        ? []
        : [
            ...(state === undefined ? opening(text, { ...parts, model: chosen, hint }) : []),
            { type: 'message_written', data: { message } },
            { type: 'run_begun', data: { run, message: message.id } },
          ],
    );
  }

  /** The message is journaled after the answer, because it says that the answer was given. */
  async function noteAnswer(
    { run, question }: Answered,
    { id: answer, text, given }: { id: string; text: string; given: GivenAnswer },
  ): Promise<void> {
    const message: Message = { ...said(text, answer), run, question };
    await ledger.write((state) => {
      const asked = background.state(run)?.questions.get(question)?.question;
      const language = parts.language ?? message.language ?? state?.language ?? 'en';
      const read =
        asked === undefined ? [] : readingNotice({ run, question: asked }, { text, given, language });
      return newOnes([message, ...read], state);
    });
    await background.look(run);
  }

  function said(text: string, id: string): Message {
    const language = parts.language === undefined ? spokenLanguage(text) : undefined;
    return { id: saidId(id), role: 'user', kind: 'said', text, ...(language !== undefined && { language }) };
  }

  function refuseOthers(run: string): void {
    if (ledger.state?.runs.has(run) === true) return;
    throw new DandoriError('run-not-found', `There is no run "${run}" in this conversation.`);
  }

  const standing = async (run: string, waits = true) =>
    waits ? background.released(run) : (background.standing(run) ?? 'background');

  const conversation: Conversation = {
    id,
    get state() {
      return ledger.state;
    },
    async say(text, { onBegun, key, seen, by, waits, language: hint, attachments: files = [] } = {}) {
      checkGoal(text);
      await runs.readOthers();
      const open = conversation.questions();
      const hasModel = conversation.model !== 'built-in';
      const wouldMean: Interpretation =
        files.length > 0 ? { kind: 'goal' } : interpret(text, { open, state: ledger.state, hasModel, seen });
      const incoming = { text, files, key, meant: wouldMean, conversation: id, state: ledger.state };
      const { id: heard, meant, attachments } = await interpretOnce(incoming, parts);
      if (meant.kind === 'unclear') {
        const { why = 'several', about } = meant;
        const isMeant = ({ run, question }: Asked) =>
          about?.some((one) => one.run === run && one.question === question.id) ?? true;
        return { kind: 'unclear', why, questions: open.filter(isMeant) };
      }
      if (meant.kind === 'goal') {
        await begin({ text, attachments }, heard, hint);
        onBegun?.(heard);
        await runs.follow(heard);
        return { kind: 'begun', run: heard, standing: await standing(heard, waits) };
      }
      const { run, question } = meant;
      onBegun?.(run);
      const { id: message, language } = said(text, heard);
      const isRepeated = key !== undefined;
      const words = { text, asked: meant, by: speaker(by), message, language, isRepeated };
      const given = await answerOnce(words, parts);
      await noteAnswer(meant, { id: heard, text, given });
      return {
        kind: 'answered',
        run,
        question,
        ...answerForClient(given),
        standing: await standing(run, waits),
      };
    },
    async answer(asked, value, { by, waits, ...how } = {}) {
      await runs.readOthers();
      refuseOthers(asked.run);
      const state = background.state(asked.run);
      const question = state?.questions.get(asked.question)?.question;
      const heard = newId(parts.clock.now());
      await answerQuestion(
        { ...asked, answer: value, ...how, by: speaker(by), message: saidId(heard) },
        parts,
      );
      const reply = { answer: value, ...how };
      const given = readReply(reply, { question, goal: state?.goal });
      const text = answerAsMessage(reply, question?.options);
      await noteAnswer(asked, { id: heard, text, given });
      return {
        kind: 'answered',
        ...asked,
        ...answerForClient(given),
        standing: await standing(asked.run, waits),
      };
    },
    async tell(run, text, { by } = {}) {
      await runs.readOthers();
      refuseOthers(run);
      await deliverWords({ run, text, by: speaker(by) }, parts);
      await background.look(run);
    },
    async cancel(run, reason, { by } = {}) {
      await runs.readOthers();
      refuseOthers(run);
      await cancelRun({ run, reason, by: speaker(by) }, parts);
      await background.look(run);
    },
    messages: () => [...(ledger.state?.messages.values() ?? [])],
    undelivered: () => (ledger.state === undefined ? [] : undelivered(ledger.state)),
    async acknowledge(message) {
      let isFirst = false;
      await ledger.write((state) => {
        isFirst = state?.messages.get(message)?.role === 'agent' && !state.delivered.has(message);
        return isFirst ? [{ type: 'message_delivered', data: { message } }] : [];
      });
      return isFirst;
    },
    runs: () => [...(ledger.state?.runs ?? [])].map(([run, message]) => runOf(run, message)),
    questions: () =>
      background
        .states()
        .flatMap((state) =>
          openQuestions(state).map((question) => ({ run: state.run, goal: state.goal, question })),
        ),
    async report(run) {
      refuseOthers(run);
      return report(background.state(run) ?? foldRun(run, shown(await parts.journal.read(run))));
    },
    plans: () => plansOf(ledger.state),
    activatePlan: (plan) => activatePlan(plan, ledger),
    get model() {
      return chosen ?? parts.mind.name;
    },
    async useModel(name) {
      chosen = (await parts.mindFor(name)).name;
      const model = chosen;
      await ledger.write((state) =>
        state === undefined || state.model === model ? [] : [{ type: 'model_chosen', data: { model } }],
      );
    },
    watch,
    settled: () => background.settled(),
    async drive(run, leaving = {}) {
      // The obstacle may be gone, so the run is tried again.
      if (background.problem(run) !== undefined) runs.forget(run);
      await runs.readOthers();
      if (ledger.state?.runs.has(run)) await runs.follow(run);
      const state = await background.drive(run, leaving);
      return state && report(state);
    },
    async close({ grace } = {}) {
      await background.close(grace);
      ledger.close();
      parts.onClose?.();
    },
    [Symbol.asyncDispose]: () => conversation.close(),
  };

  function runOf(run: string, message: string): ConversationRun {
    const state = background.state(run);
    const reply = ledger.state?.messages.get(replyId(run));
    return {
      run,
      goal: state?.goal ?? ledger.state?.messages.get(message)?.text ?? '',
      message,
      outcome: state === undefined ? (outcomeIn(reply) ?? 'open') : outcomeOf(state),
      standing: background.standing(run),
      progress: state === undefined ? reply?.tally : tallyOfRun(state),
      questions: state === undefined ? [] : openQuestions(state),
      problem: background.problem(run),
    };
  }

  // An unreadable run must not stop the others.
  for (const run of unfinished(ledger.state)) await runs.follow(run).catch(() => {});
  return conversation;
}

function outcomeIn(message: Written | undefined): Report['outcome'] | undefined {
  const outcome = message?.outcome;
  return outcome === 'completed' ? undefined : outcome;
}

function newOnes(messages: readonly Message[], state: ConversationState | undefined): ConversationFact[] {
  return messages
    .filter(({ id }) => state?.messages.has(id) !== true)
    .map((message) => ({ type: 'message_written', data: { message } }));
}
