import { type ConversationState, isReported, undelivered, type Written } from '../core/conversation.ts';
import { contextFor } from '../core/conversation-context.ts';
import { cut } from '../core/digest.ts';
import { isJapanese } from '../core/language.ts';
import { plainAnswer, takesWords } from '../core/plain-answer.ts';
import { type AskedQuestion, openQuestions, type Report, report } from '../core/report.ts';
import { STEP_OPERATION } from '../core/step.ts';
import type { ConversationFact, Message } from '../domain/conversation.ts';
import { DandoriError } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import type { Settings } from '../domain/settings.ts';
import type { ConversationJournal } from '../ports/journal.ts';
import type { Mind } from '../ports/mind.ts';
import type { CallOutcome } from '../ports/toolbox.ts';
import type { Answering } from './answer.ts';
import { type Background, createBackground, type Standing } from './background.ts';
import { handOver } from './hand-over.ts';
import { answerQuestion, cancelRun, checkGoal, newId, startRun } from './inbox.ts';
import { type Minutes, openMinutes } from './minutes.ts';
import type { OtherRuns } from './own-tools.ts';
import type { Parts } from './parts.ts';

const LONGEST_TITLE = 80;

/**
 * `begun`: the message became a run. `answered`: it was the answer to a question. Both say how the run stands now: it
 * has ended, waits for a person, or goes on in the background. `unclear`: it could be the answer to several questions.
 */
export type Said =
  | { readonly kind: 'begun'; readonly run: string; readonly standing: Standing }
  | {
      readonly kind: 'answered';
      readonly run: string;
      readonly question: string;
      readonly standing: Standing;
    }
  | { readonly kind: 'unclear'; readonly questions: readonly Asked[] };

/** A question of one of the conversation's runs that is open. */
export interface Asked {
  readonly run: string;
  readonly question: AskedQuestion;
}

export interface ConversationRun {
  readonly run: string;
  readonly goal: string;
  readonly outcome: Report['outcome'];
  /** Undefined where it has ended before this process began. */
  readonly report: Report | undefined;
  /** Why it cannot be driven on, where that is no matter of the run itself. */
  readonly problem: unknown;
}

/**
 * A chat that owns runs. What is said begins a run, which is driven in this process; several at once.
 *
 * V1  What was said is written down together with the id of its run before the run begins. After a crash it is begun.
 * V2  A message of the agent stays in `undelivered` until it is acknowledged. It is written once.
 * V3  Only the user's own words are taken as an answer to an approval.
 */
export interface Conversation extends AsyncDisposable {
  readonly id: string;
  /** Resolves when nobody need wait for it any more. */
  say(text: string, options?: { readonly onBegun?: (run: string) => void }): Promise<Said>;
  answer(
    run: string,
    question: string,
    answer: Json,
    options?: { readonly comment?: string | undefined; readonly declined?: boolean },
  ): Promise<Said>;
  /** A no with a reason to the plan that a run has proposed, the answer to its question, or a note. */
  tell(run: string, text: string): Promise<void>;
  cancel(run: string, reason: string): Promise<void>;
  readonly state: ConversationState | undefined;
  messages(): readonly Written[];
  /** The agent's messages that have not been acknowledged, oldest first. */
  undelivered(): readonly Written[];
  /** The message was really shown. To say so twice does no harm. */
  acknowledge(message: string): Promise<void>;
  /** Newest last. */
  runs(): readonly ConversationRun[];
  questions(): readonly Asked[];
  /** The model for the runs that follow. */
  readonly model: string;
  useModel(name: string): Promise<void>;
  /** Calls back when there is something new to see: a message, or how a run stands. */
  watch(changed: () => void): () => void;
  /** When every run has ended or waits for a person. */
  settled(): Promise<void>;
  /** Lets the calls under way come to their end and begins nothing more. The runs go on when it is opened again. */
  close(): Promise<void>;
}

export interface ConversationParts extends Parts {
  readonly conversations: ConversationJournal;
  readonly userId?: string;
  readonly language?: 'en' | 'ja';
  settingsFor(userId: string | undefined): Promise<Settings>;
  /** Throws where there is no such model. */
  mindFor(name: string | undefined): Promise<Mind>;
}

/** Without an id a new one, which is written down with its first message. */
export async function openConversation(
  given: string | undefined,
  parts: ConversationParts,
): Promise<Conversation> {
  const id = given ?? newId(parts.clock.now());
  const listeners = new Set<() => void>();
  const onChange = () => {
    for (const listener of [...listeners]) listener();
  };
  const minutes = await openMinutes(id, given === undefined, { ...parts, onChange });
  let chosen = minutes.state?.model;
  const background: Background = createBackground({
    parts,
    others: othersOf(minutes, parts),
    tell: (messages) => minutes.write((state) => newOnes(messages, state)),
    onChange,
  });

  /** Begins the run of a message, or takes up what is there of it. */
  async function takeUp(run: string): Promise<void> {
    const { state } = minutes;
    const message = state?.messages.get(state.runs.get(run) ?? '');
    if (state === undefined || message === undefined) return;
    const started = await startedWith(run, parts);
    const mind = await mindOf(started ?? state.model, parts);
    if (started === undefined) {
      const open = background.states().filter(({ end }) => end === undefined);
      const context = contextFor(state, { until: message.id, open });
      const settings = await parts.settingsFor(state.userId);
      const about = { goal: message.text, run, conversation: id, context, userId: state.userId };
      await startRun({ ...about, settings: settingsOf(settings) }, { ...parts, mind });
    }
    await background.take(run, mind);
  }

  async function begin(text: string, onBegun?: (run: string) => void): Promise<string> {
    checkGoal(text);
    const run = newId(parts.clock.now());
    const message: Message = { id: `said/${run}`, role: 'user', kind: 'said', text, run };
    await minutes.write((state) => [
      ...(state === undefined ? opening(text, { ...parts, chosen }) : []),
      { type: 'message_written', data: { message } },
      { type: 'run_begun', data: { run, message: message.id } },
    ]);
    onBegun?.(run);
    await takeUp(run);
    return run;
  }

  async function answer(
    { run, question }: Asked,
    { words, ...given }: Given & { words: string },
  ): Promise<Said> {
    await answerQuestion({ run, question: question.id, ...given, by: minutes.state?.userId }, parts);
    const message: Message = {
      id: `said/${newId(parts.clock.now())}`,
      role: 'user',
      kind: 'said',
      text: words,
      run,
      question: question.id,
    };
    await minutes.write(() => [{ type: 'message_written', data: { message } }]);
    await background.look(run);
    return { kind: 'answered', run, question: question.id, standing: await background.released(run) };
  }

  /** What a run has told another one leads on there: of a plan that was refused, to the next one that is asked about. */
  async function toldReleased(run: string): Promise<void> {
    for (const { task, status, sent } of background.state(run)?.tasks.values() ?? []) {
      const { run: other } = sent ?? task.args;
      if (task.operation !== 'run.tell' || status !== 'succeeded' || typeof other !== 'string') continue;
      await background.look(other);
      // What is wrong with it is told where it stands.
      await background.released(other).catch(() => {});
    }
  }

  const conversation: Conversation = {
    id,
    get state() {
      return minutes.state;
    },
    async say(text, { onBegun } = {}) {
      const open = conversation.questions();
      const meant = meantBy(text, open, minutes.state);
      if (meant.kind === 'unclear') return { kind: 'unclear', questions: open };
      if (meant.kind === 'answer') {
        onBegun?.(meant.asked.run);
        return answer(meant.asked, { answer: meant.value, words: text });
      }
      const run = await begin(text, onBegun);
      const standing = await background.released(run);
      await toldReleased(run);
      return { kind: 'begun', run, standing };
    },
    async answer(run, id, value, options = {}) {
      const asked = conversation.questions().find((one) => one.run === run && one.question.id === id);
      const given = { answer: value, ...options };
      if (asked !== undefined) return answer(asked, { ...given, words: wordsOf(given) });
      // Whoever asks for one that is not open is told why.
      await answerQuestion({ run, question: id, ...given, by: minutes.state?.userId }, parts);
      return { kind: 'answered', run, question: id, standing: await background.released(run) };
    },
    async tell(run, text) {
      await handOver({ run, text, by: minutes.state?.userId }, parts);
      await background.look(run);
    },
    async cancel(run, reason) {
      await cancelRun({ run, reason, by: minutes.state?.userId }, parts);
      await background.look(run);
    },
    messages: () => [...(minutes.state?.messages.values() ?? [])],
    undelivered: () => (minutes.state === undefined ? [] : undelivered(minutes.state)),
    acknowledge: (message) =>
      minutes.write((state) => {
        const isOpen = state?.messages.get(message)?.role === 'agent' && !state.delivered.has(message);
        return isOpen ? [{ type: 'message_delivered', data: { message } }] : [];
      }),
    runs: () => [...(minutes.state?.runs ?? [])].map(([run, message]) => runOf(run, message)),
    questions: () =>
      background
        .states()
        .flatMap((state) => openQuestions(state).map((question) => ({ run: state.run, question }))),
    get model() {
      return chosen ?? parts.mind.name;
    },
    async useModel(name) {
      chosen = (await parts.mindFor(name)).name;
      const model = chosen;
      await minutes.write((state) =>
        state === undefined || state.model === model ? [] : [{ type: 'model_chosen', data: { model } }],
      );
    },
    watch(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    settled: () => background.settled(),
    async close() {
      await background.close();
      minutes.close();
    },
    [Symbol.asyncDispose]: () => conversation.close(),
  };

  function runOf(run: string, message: string): ConversationRun {
    const state = background.state(run);
    const known = state === undefined ? undefined : report(state);
    const reply = minutes.state?.messages.get(run);
    return {
      run,
      goal: known?.goal ?? minutes.state?.messages.get(message)?.text ?? '',
      outcome: known?.outcome ?? outcomeIn(reply) ?? 'open',
      report: known,
      problem: background.problem(run),
    };
  }

  // One that cannot be read must not keep the others from going on.
  for (const run of unfinished(minutes.state))
    await takeUp(run).catch((error: unknown) => background.lose(run, error));
  return conversation;
}

/** Of an exhausted run nobody here knows whether it was given more meanwhile. */
function unfinished(state: ConversationState | undefined): string[] {
  if (state === undefined) return [];
  return [...state.runs.keys()].filter(
    (run) => !isReported(state, run) || state.messages.get(run)?.outcome === 'exhausted',
  );
}

function outcomeIn(message: Written | undefined): Report['outcome'] | undefined {
  const outcome = message?.outcome;
  return outcome === 'completed' ? undefined : outcome;
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
 * and says yes to nothing.
 */
function settingsOf(settings: Settings): Settings {
  const own = { [STEP_OPERATION]: 'plan', 'run.tell': 'never', 'run.cancel': 'never' } as const;
  return { ...settings, approvals: { ...settings.approvals, ...own } };
}

type Given = Pick<Answering, 'answer' | 'comment' | 'declined'>;

/** An answer as the user's words in the conversation. */
function wordsOf({ answer, comment, declined }: Given): string {
  const given = declined === true ? [] : [typeof answer === 'string' ? answer : JSON.stringify(answer)];
  return [...given, ...(comment === undefined ? [] : [comment])].join(': ') || '–';
}

type Meant =
  | { readonly kind: 'answer'; readonly asked: Asked; readonly value: Json }
  | { readonly kind: 'unclear' | 'goal' };

function meantBy(text: string, open: readonly Asked[], state: ConversationState | undefined): Meant {
  const fitting = open.flatMap((asked) => {
    const plain = plainAnswer(text, asked.question);
    return plain === undefined ? [] : [{ kind: 'answer' as const, asked, value: plain.value }];
  });
  const [only] = fitting;
  if (only !== undefined) return open.length === 1 ? only : { kind: 'unclear' };
  const [asked] = open;
  const isNext =
    open.length === 1 &&
    asked !== undefined &&
    takesWords(asked.question) &&
    isLast(asked, state) &&
    !/[?？]\s*$/.test(text);
  return isNext ? { kind: 'answer', asked, value: text } : { kind: 'goal' };
}

/** Whether the question is the last that was said, so that what follows is the answer, unless it is a question itself. */
function isLast({ run, question }: Asked, state: ConversationState | undefined): boolean {
  const last = [...(state?.messages.values() ?? [])].at(-1);
  return last?.kind === 'question' && last.run === run && last.question === question.id;
}

function opening(
  text: string,
  {
    language,
    userId,
    chosen,
  }: Pick<ConversationParts, 'language' | 'userId'> & { chosen: string | undefined },
): ConversationFact[] {
  const title = cut(text.replaceAll(/\s+/g, ' ').trim(), LONGEST_TITLE);
  const spoken = language ?? (isJapanese(text) ? 'ja' : 'en');
  return [
    { type: 'conversation_started', data: { title, language: spoken, userId } },
    ...(chosen === undefined ? [] : [{ type: 'model_chosen' as const, data: { model: chosen } }]),
  ];
}

function newOnes(messages: readonly Message[], state: ConversationState | undefined): ConversationFact[] {
  return messages
    .filter(({ id }) => state?.messages.has(id) !== true)
    .map((message) => ({ type: 'message_written', data: { message } }));
}

function othersOf(minutes: Minutes, parts: Parts): OtherRuns {
  const by = () => minutes.state?.userId;
  const known = async (run: string, work: () => Promise<void>): Promise<CallOutcome> => {
    try {
      if (minutes.state?.runs.has(run) !== true)
        return refused(`there is no run ${run} in this conversation`);
      await work();
      return { kind: 'succeeded', result: { run, told: true } };
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      return refused(error.message);
    }
  };
  return {
    tell: ({ run, text }) => known(run, () => handOver({ run, text, by: by() }, parts)),
    cancel: ({ run, reason }) => known(run, () => cancelRun({ run, reason, by: by() }, parts)),
  };
}

function refused(message: string): CallOutcome {
  return { kind: 'failed', failure: { kind: 'not_possible', message } };
}
