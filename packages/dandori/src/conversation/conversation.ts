import * as z from 'zod';
import type { GivenAttachment } from '../commands/index.ts';
import type { Parts, StopSignals } from '../driver/index.ts';
import type { Mind } from '../mind/index.ts';
import { tally } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { Settings } from '../model/settings.ts';
import type { Language } from '../model/text.ts';
import type { ConversationJournal, Keys } from '../store/index.ts';
import { askedQuestionSchema, type Report, runOutcome } from '../views/report.ts';
import { type RunPhase, runPhaseSchema } from './drive-runs.ts';
import type { Asked, Why } from './interpret.ts';
import type { ConversationState, NamedPlan, Written } from './state.ts';

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
export interface Answered {
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
