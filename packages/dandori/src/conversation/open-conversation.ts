import { answerQuestion, cancelRun, checkGoal, newId } from '../commands/index.ts';
import type { ConversationFact, Message } from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { shown } from '../model/redact.ts';
import { spokenLanguage } from '../model/text.ts';
import { foldRun } from '../run/state/apply.ts';
import { openQuestions, outcomeOf, type Report, report } from '../views/report.ts';
import { answerAsMessage, answerForClient, readingNotice, readReply } from './answer-value.ts';
import { type Changes, createChanges } from './changes.ts';
import type {
  Answered,
  Conversation,
  ConversationParts,
  ConversationRun,
  Said,
  SayOptions,
} from './conversation.ts';
import { type Background, createBackground, type PlanNews, type RunPhase } from './drive-runs.ts';
import { createFollowedRuns, type FollowedRuns, unfinished } from './follow-runs.ts';
import { type Answering, answerOnce, type InterpretedMessage, interpretOnce, type Unclear } from './inbox.ts';
import { type Asked, type GivenAnswer, type Interpretation, interpret } from './interpret.ts';
import { type ConversationLedger, openConversationLedger } from './ledger.ts';
import { remindersOf, tallyOfRun } from './reports.ts';
import {
  type ConversationState,
  freeName,
  opening,
  plansOf,
  replyId,
  saidId,
  undelivered,
  type Written,
} from './state.ts';
import { activatePlan, deliverWords, othersOf } from './tell-run.ts';

/** For the same user and key it is always the same conversation, even before the first event is written. */
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
  const journaled = createChanges();
  const ledger = await openConversationLedger(given, { ...parts, onChange: journaled.changed });
  const conversation = new OpenConversation(ledger, { parts, journaled });
  await conversation.followUnfinished();
  return conversation;
}

/** The public methods are bound to the object: programs pass them on alone, as in `{ cancel: conversation.cancel }`. */
class OpenConversation implements Conversation {
  readonly id: string;
  readonly watch: Conversation['watch'];
  readonly #parts: ConversationParts;
  readonly #ledger: ConversationLedger;
  readonly #background: Background;
  readonly #runs: FollowedRuns;
  /** The name of the model, if it is not the configured one. */
  #chosen: string | undefined;

  constructor(
    ledger: ConversationLedger,
    { parts, journaled }: { readonly parts: ConversationParts; readonly journaled: Changes },
  ) {
    const { changed, watch } = createChanges();
    const { wake } = parts;
    this.id = ledger.id;
    this.watch = watch;
    this.#parts = parts;
    this.#ledger = ledger;
    this.#chosen = ledger.state?.model;
    this.#background = createBackground({
      parts,
      others: othersOf(ledger, parts),
      tell: (messages) => this.#writeReports(messages),
      onPlan: (run, plan) => this.#notePlan(run, plan),
      onChange: changed,
      wake: wake && ((run) => wake(run, ledger.id)),
    });
    this.#runs = createFollowedRuns({ ledger, background: this.#background, parts });
    journaled.watch(() => void this.#runs.followOthers());
    journaled.watch(changed);
  }

  /** An unreadable run must not stop the others. */
  async followUnfinished(): Promise<void> {
    for (const run of unfinished(this.#ledger.state)) await this.#runs.follow(run).catch(() => {});
  }

  get state(): ConversationState | undefined {
    return this.#ledger.state;
  }

  get model(): string {
    return this.#chosen ?? this.#parts.mind.name;
  }

  readonly say: Conversation['say'] = async (text, options = {}) => {
    checkGoal(text);
    await this.#runs.readOthers();
    const open = this.questions();
    const incoming = await this.#interpret(text, open, options);
    const { meant } = incoming;
    if (meant.kind === 'unclear') return unclear(meant, open);
    return meant.kind === 'goal'
      ? this.#beginRun(text, incoming, options)
      : this.#answerInWords(text, { id: incoming.id, meant }, options);
  };

  readonly answer: Conversation['answer'] = async (asked, value, { by, waits, ...how } = {}) => {
    await this.#runs.readOthers();
    this.#refuseOthers(asked.run);
    const state = this.#background.state(asked.run);
    const question = state?.questions.get(asked.question)?.question;
    const id = newId(this.#parts.clock.now());
    await answerQuestion(
      { ...asked, answer: value, ...how, by: this.#speaker(by), message: saidId(id) },
      this.#parts,
    );
    const reply = { answer: value, ...how };
    const given = readReply(reply, { question, goal: state?.goal });
    const text = answerAsMessage(reply, question?.options);
    await this.#noteAnswer(asked, { id, text, given });
    const standing = await this.#standing(asked.run, waits);
    return { kind: 'answered', ...asked, ...answerForClient(given), standing };
  };

  readonly tell: Conversation['tell'] = async (run, text, { by } = {}) => {
    await this.#runs.readOthers();
    this.#refuseOthers(run);
    await deliverWords({ run, text, by: this.#speaker(by) }, this.#parts);
    await this.#background.look(run);
  };

  readonly cancel: Conversation['cancel'] = async (run, reason, { by } = {}) => {
    await this.#runs.readOthers();
    this.#refuseOthers(run);
    await cancelRun({ run, reason, by: this.#speaker(by) }, this.#parts);
    await this.#background.look(run);
  };

  readonly messages: Conversation['messages'] = () => [...(this.state?.messages.values() ?? [])];

  readonly undelivered: Conversation['undelivered'] = () =>
    this.state === undefined ? [] : undelivered(this.state);

  readonly acknowledge: Conversation['acknowledge'] = async (message) => {
    let isFirst = false;
    await this.#ledger.write((state) => {
      isFirst = state?.messages.get(message)?.role === 'agent' && !state.delivered.has(message);
      return isFirst ? [{ type: 'message_delivered', data: { message } }] : [];
    });
    return isFirst;
  };

  readonly runs: Conversation['runs'] = () =>
    [...(this.state?.runs ?? [])].map(([run, message]) => this.#runOf(run, message));

  readonly questions: Conversation['questions'] = () =>
    this.#background
      .states()
      .flatMap((state) =>
        openQuestions(state).map((question) => ({ run: state.run, goal: state.goal, question })),
      );

  readonly report: Conversation['report'] = async (run) => {
    this.#refuseOthers(run);
    return report(this.#background.state(run) ?? foldRun(run, shown(await this.#parts.journal.read(run))));
  };

  readonly plans: Conversation['plans'] = () => plansOf(this.state);

  readonly activatePlan: Conversation['activatePlan'] = (plan) => activatePlan(plan, this.#ledger);

  readonly useModel: Conversation['useModel'] = async (name) => {
    const { name: model } = await this.#parts.mindFor(name);
    this.#chosen = model;
    await this.#ledger.write((state) =>
      state === undefined || state.model === model ? [] : [{ type: 'model_chosen', data: { model } }],
    );
  };

  readonly settled: Conversation['settled'] = () => this.#background.settled();

  readonly drive: Conversation['drive'] = async (run, leaving = {}) => {
    // The obstacle may be gone, so the run is tried again.
    if (this.#background.problem(run) !== undefined) this.#runs.forget(run);
    await this.#runs.readOthers();
    if (this.state?.runs.has(run)) await this.#runs.follow(run);
    const state = await this.#background.drive(run, leaving);
    return state && report(state);
  };

  readonly close: Conversation['close'] = async ({ grace } = {}) => {
    await this.#background.close(grace);
    this.#ledger.close();
    this.#parts.onClose?.();
  };

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What the message means. If it is sent again with the same key, it means what it meant the first time. */
  #interpret(
    text: string,
    open: readonly Asked[],
    { key, seen, attachments: files = [] }: SayOptions,
  ): Promise<InterpretedMessage> {
    const { state } = this;
    const hasModel = this.model !== 'built-in';
    const meant: Interpretation =
      files.length > 0 ? { kind: 'goal' } : interpret(text, { open, state, hasModel, seen });
    return interpretOnce({ text, files, key, meant, conversation: this.id, state }, this.#parts);
  }

  async #beginRun(
    text: string,
    { id: run, attachments }: InterpretedMessage,
    { onBegun, waits, language: hint }: SayOptions,
  ): Promise<Said> {
    const message: Message = { ...this.#said(text, run), run, ...(attachments && { attachments }) };
    this.#runs.willBegin(run);
    await this.#ledger.write((state) =>
      state?.messages.has(message.id)
        ? []
        : [
            ...(state === undefined ? opening(text, { ...this.#parts, model: this.#chosen, hint }) : []),
            { type: 'message_written', data: { message } },
            { type: 'run_begun', data: { run, message: message.id } },
          ],
    );
    onBegun?.(run);
    await this.#runs.follow(run);
    return { kind: 'begun', run, standing: await this.#standing(run, waits) };
  }

  async #answerInWords(
    text: string,
    { id, meant }: { readonly id: string; readonly meant: Answering },
    { onBegun, key, by, waits }: SayOptions,
  ): Promise<Said> {
    const { run, question } = meant;
    onBegun?.(run);
    const { id: message, language } = this.#said(text, id);
    const isRepeated = key !== undefined;
    const words = { text, asked: meant, by: this.#speaker(by), message, language, isRepeated };
    const given = await answerOnce(words, this.#parts);
    await this.#noteAnswer(meant, { id, text, given });
    const standing = await this.#standing(run, waits);
    return { kind: 'answered', run, question, ...answerForClient(given), standing };
  }

  /** The message says that the answer was given, so it is written after the answer. */
  async #noteAnswer(
    { run, question }: Answered,
    { id, text, given }: { readonly id: string; readonly text: string; readonly given: GivenAnswer },
  ): Promise<void> {
    const message: Message = { ...this.#said(text, id), run, question };
    await this.#ledger.write((state) => {
      const asked = this.#background.state(run)?.questions.get(question)?.question;
      const language = this.#parts.language ?? message.language ?? state?.language ?? 'en';
      const read =
        asked === undefined ? [] : readingNotice({ run, question: asked }, { text, given, language });
      return newOnes([message, ...read], state);
    });
    await this.#background.look(run);
  }

  #writeReports(messages: readonly Message[]): Promise<void> {
    return this.#ledger.write((state) => {
      const language = this.#parts.language ?? state?.language;
      const reminders = remindersOf(messages, { states: this.#background.states(), language });
      return newOnes([...messages, ...reminders], state);
    });
  }

  #notePlan(run: string, { name, type }: PlanNews): Promise<void> {
    return this.#ledger.write((state) => {
      const known = state?.plans.get(run);
      const isNew = known === undefined || (type === 'plan_activated' && state?.inactive.has(run));
      return state === undefined || !isNew
        ? []
        : [{ type, data: { run, name: known ?? freeName(name, state) } }];
    });
  }

  #said(text: string, id: string): Message {
    const language = this.#parts.language === undefined ? spokenLanguage(text) : undefined;
    return { id: saidId(id), role: 'user', kind: 'said', text, ...(language !== undefined && { language }) };
  }

  #speaker(by: string | undefined): string | undefined {
    return by ?? this.state?.userId;
  }

  #refuseOthers(run: string): void {
    if (this.state?.runs.has(run) === true) return;
    throw new DandoriError('run-not-found', `There is no run "${run}" in this conversation.`);
  }

  async #standing(run: string, waits = true): Promise<RunPhase> {
    return waits ? this.#background.released(run) : (this.#background.standing(run) ?? 'background');
  }

  #runOf(run: string, message: string): ConversationRun {
    const state = this.#background.state(run);
    const reply = this.state?.messages.get(replyId(run));
    return {
      run,
      goal: state?.goal ?? this.state?.messages.get(message)?.text ?? '',
      message,
      outcome: state === undefined ? (outcomeIn(reply) ?? 'open') : outcomeOf(state),
      standing: this.#background.standing(run),
      progress: state === undefined ? reply?.tally : tallyOfRun(state),
      questions: state === undefined ? [] : openQuestions(state),
      problem: this.#background.problem(run),
    };
  }
}

/** The questions that may be meant. If nothing tells, any open one. */
function unclear({ why = 'several', about }: Unclear, open: readonly Asked[]): Said {
  const isMeant = ({ run, question }: Asked) =>
    about?.some((one) => one.run === run && one.question === question.id) ?? true;
  return { kind: 'unclear', why, questions: open.filter(isMeant) };
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
