import { setTimeout as sleep } from 'node:timers/promises';
import type { TornTail } from '../app/index.ts';
import { DandoriError, messageOf } from '../model/error.ts';
import type { Event } from '../model/event.ts';
import { asText, stringifyJson } from '../model/json.ts';
import { mustBeSeen, type Question } from '../model/question.ts';
import type { Report } from '../views/report.ts';
import { announceTorn, announceUntraced, warnAboutServers, warnAboutUserConfig } from './announce.ts';
import { asTyped } from './command-line.ts';
import { exitCodeOf } from './exit-code.ts';
import { showPictures } from './pictures.ts';
import { printReport } from './print-report.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Reply } from './questions/ask.ts';
import { createHeldQuestions, type HeldQuestions, watchQuestion } from './questions/open-prompts.ts';
import { answerCommand, questionLines } from './questions/question.ts';
import { printable, styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

export interface SessionOptions {
  readonly config?: string;
  /** `provider/name`, instead of the configured model. */
  readonly model?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  /** The user at this terminal. */
  readonly user?: string;
  readonly goal?: string;
}

/**
 * A run in the foreground: it is shown live, its questions are asked at the prompt, and Ctrl-C cancels it.
 */
export interface Session extends AsyncDisposable {
  readonly dandori: Workplace;
  /**
   * Drives the run until it ends or has a question that the user here cannot answer. Returns the exit code.
   * `past` has all events so far, if the caller has read or written them.
   */
  follow(run: string, past?: readonly Event[]): Promise<number>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const torn: TornTail[] = [];
  const watching: Watching = { seen: 0, hasPlanned: false };
  const dandori = await openWorkplace({
    configFile: options.config,
    model: options.model,
    // Its sub-goals are shown as the progress of their tasks.
    onEvent: (event) =>
      event.run === watching.run ? show(event, { mind: dandori.mindName, watching }) : undefined,
    onLive: (live) => (live.run === watching.run ? watching.progress?.live(live) : undefined),
    onWarning: (warning) => warnAboutUserConfig(warning, textsFor({ language, goal: options.goal })),
    onUntraced: (detail) => announceUntraced(detail, textsFor({ language, goal: options.goal })),
    onTorn: (tail) => torn.push(tail),
  });
  const { language } = dandori.config;
  if (options.json !== true) warnAboutServers(dandori, textsFor({ language, goal: options.goal }));
  return {
    dandori,
    async follow(run, given) {
      const past = given ?? (await dandori.events(run));
      const [first] = past;
      const { goal, settings } =
        first?.type === 'run_started' ? first.data : { goal: '', settings: undefined };
      const texts = textsFor({ language: settings?.language ?? language, goal });
      // Other journals are read too, for the durations of tools. Only damage in this run is reported.
      for (const tail of torn.filter((found) => found.run === run)) announceTorn(tail, texts);
      watching.texts = texts;
      watching.run = run;
      const foreground = { dandori, options, texts, watching, interrupted: new AbortController() };
      const uncatch = catchInterrupts(run, foreground);
      try {
        const report = await driveAndAsk(run, past, foreground);
        printReport(report, { texts, json: options.json, config: options.config });
        if (options.json !== true) await showPictures(run, dandori);
        const code = exitCodeOf(report.outcome);
        if (report.unstopped !== undefined) forceExitSoon(code);
        return code;
      } finally {
        uncatch();
      }
    },
    [Symbol.asyncDispose]: () => dandori.close(),
  };
}

/** Forces an exit, because a method that ignores its abort signal would keep the process alive. */
function forceExitSoon(code: number): void {
  setTimeout(() => process.exit(code), 500).unref();
}

interface Watching {
  progress?: Progress;
  /** Asks the questions of calls that are held open. */
  held?: HeldQuestions;
  texts?: Texts;
  run?: string;
  /** How many events of the run this process has shown. */
  seen: number;
  /** Whether the mind was asked for a plan. */
  hasPlanned: boolean;
  /** The request to cancel, until it is journaled. */
  cancelling?: Promise<void>;
}

function show(event: Event, { mind, watching }: { mind: string; watching: Watching }): void {
  const { progress, texts } = watching;
  const isAsked = event.type === 'decision_started' && event.data.purpose === 'act';
  if (isAsked && mind === 'built-in' && !watching.hasPlanned && texts !== undefined)
    progress?.note(styleFor(process.stderr).dim(asTyped(texts.noLanguageModel)));
  // After an answer at the prompt the journal has a resume, but for the user there was no pause.
  if (event.type === 'run_resumed' && watching.seen > 0) progress?.replay(event);
  else progress?.event(event);
  watching.held?.event(event);
  watching.seen++;
  watching.hasPlanned ||= isAsked;
}

interface Foreground {
  readonly dandori: Workplace;
  readonly options: SessionOptions;
  readonly texts: Texts;
  readonly watching: Watching;
  /** Aborted by a signal from the terminal or the system. */
  readonly interrupted: AbortController;
}

async function driveAndAsk(run: string, past: readonly Event[], foreground: Foreground): Promise<Report> {
  const { dandori, watching } = foreground;
  for (let events = past; ; events = await dandori.events(run)) {
    showProgress(events, foreground);
    watching.held = createHeldQuestions((question, signal) =>
      askWhileDriven(run, { question, signal }, foreground),
    );
    const report = await drive(run, foreground).finally(async () => {
      await watching.held?.stop();
      watching.progress?.end();
    });
    if (report.outcome !== 'waiting') return report;
    const isAnswered = await answerAll(report, foreground);
    // A signal at the prompt cancels the run. It is driven once more, to its end.
    if (!isAnswered && !foreground.interrupted.signal.aborted) return report;
    await watching.cancelling;
  }
}

/**
 * The process that answers the question may also drive the run. This process then waits until it can
 * take over. On the first drive, or if another process takes the run during a drive, the error is thrown.
 */
async function drive(run: string, { dandori, watching }: Foreground): Promise<Report> {
  const isAfterQuestion = watching.seen > 0;
  for (;;) {
    const { seen } = watching;
    try {
      return await dandori.drive(run);
    } catch (error) {
      const isElsewhere = error instanceof DandoriError && error.code === 'run-driven-elsewhere';
      if (!isElsewhere || !isAfterQuestion || watching.seen > seen) throw error;
      await sleep(BETWEEN_LOOKS);
    }
  }
}

const BETWEEN_LOOKS = 200;

function showProgress(events: readonly Event[], { options, texts, watching }: Foreground): void {
  if (options.json === true) return;
  watching.progress = createProgress(process.stderr, texts);
  for (const event of events) watching.progress.replay(event);
}

/** Asks while the call is held open. The driver waits for the answer, from here or from elsewhere. */
async function askWhileDriven(
  run: string,
  { question, signal }: { question: Question; signal: AbortSignal },
  foreground: Foreground,
): Promise<void> {
  const { dandori, options, texts, watching, interrupted } = foreground;
  const report = await dandori.report(run);
  const asked = report.questions.find(({ id }) => id === question.id);
  if (asked === undefined) return;
  if (!canAsk(question, foreground)) {
    const lines = questionLines(asked, texts, styleFor(process.stderr));
    const how = asTyped(answerCommand(run, question, texts), options.config);
    for (const line of [...lines, texts.toolWaits, how]) watching.progress?.note(line);
    return;
  }
  // Stop drawing while the prompt uses the terminal.
  watching.progress?.end();
  watching.progress = undefined;
  const taken = AbortSignal.any([signal, interrupted.signal]);
  const reply = await replyFor(report, question, foreground, taken);
  if (reply !== undefined && reply.kind !== 'given' && !signal.aborted)
    await pass({ run, question, reply }, foreground);
  showProgress(await dandori.events(run), foreground);
}

/** Returns true if every question was answered, so that the run can continue. */
async function answerAll(report: Report, foreground: Foreground): Promise<boolean> {
  const { run, questions } = report;
  for (const question of questions) {
    using open = watchQuestion(run, question, foreground.dandori);
    const signal = AbortSignal.any([foreground.interrupted.signal, open.settled]);
    const reply = await replyFor(report, question, foreground, signal);
    if (reply === undefined && open.settled.aborted) await tellSettled(run, question, foreground);
    else if (reply === undefined) return false;
    if (reply === undefined || reply.kind === 'given') continue;
    await pass({ run, question, reply }, foreground);
    if (reply.kind === 'cancel') return true;
  }
  return true;
}

interface Passing {
  readonly run: string;
  readonly question: Question;
  readonly reply: Reply;
}

async function pass({ run, question, reply }: Passing, foreground: Foreground): Promise<void> {
  const { dandori, options, texts } = foreground;
  const { id, text } = question;
  const by = options.user;
  await unlessTooLate({ run, question }, foreground, async () => {
    if (reply.kind === 'cancel') await dandori.cancel(run, texts.cancelledAt(text), { by });
    else if (reply.kind === 'answer') await dandori.answer(run, id, reply.value, { by });
    else await dandori.answer(run, id, null, { declined: true, comment: reply.comment, by });
  });
}

/**
 * Prints the answer that another user gave first. If the question expired or the run ended, the run's output
 * says so.
 */
async function tellSettled(
  run: string,
  { id, options = [] }: Question,
  { dandori, texts }: Foreground,
): Promise<void> {
  for (const { type, data } of await dandori.events(run)) {
    if (type !== 'question_answered' || data.question !== id) continue;
    const { answer, declined, by } = data;
    const taken = options.find(({ value }) => stringifyJson(value) === stringifyJson(answer));
    const said = declined === true ? undefined : (taken?.label ?? asText(answer));
    process.stderr.write(`${printable(texts.replies.elsewhere(id, said, by))}\n`);
  }
}

async function unlessTooLate(
  { run, question }: Pick<Passing, 'run' | 'question'>,
  foreground: Foreground,
  answering: () => Promise<void>,
): Promise<void> {
  try {
    await answering();
  } catch (error) {
    if (!(error instanceof DandoriError)) throw error;
    if (error.code === 'question-answered' || error.code === 'run-ended')
      return tellSettled(run, question, foreground);
    // The question is asked again. If it has expired, the next drive shows how the run continues.
    if (error.code !== 'question-expired' && error.code !== 'answer-invalid') throw error;
    process.stderr.write(`${printable(error.message)}\n`);
  }
}

/**
 * `given` means that the answer was already sent. A plan is answered inside its prompt, because the user may
 * edit it several times.
 */
async function replyFor(
  { run, goal }: Report,
  question: Question,
  foreground: Foreground,
  signal = foreground.interrupted.signal,
): Promise<Reply | { readonly kind: 'given' } | undefined> {
  const { dandori, options, texts } = foreground;
  const isApproval = question.kind === 'approval' || question.kind === 'plan_approval';
  // `--yes` approves on behalf of the user. What external content may have ordered must be shown to the user.
  if (isApproval && options.yes === true && !mustBeSeen(question) && isMeant(question, foreground))
    return { kind: 'answer', value: 'approve' };
  if (!canAsk(question, foreground)) return undefined;
  if (question.kind === 'plan_approval') {
    const by = options.user ?? dandori.config.userId;
    const { askAboutPlan } = await import('./questions/ask-plan.ts');
    let isGiven = true;
    await unlessTooLate({ run, question }, foreground, async () => {
      isGiven = await askAboutPlan(question, { dandori, run, goal, texts, by, signal });
    });
    return isGiven ? { kind: 'given' } : undefined;
  }
  const { replyTo } = await import('./questions/ask.ts');
  return replyTo(question, { texts, signal });
}

function isMeant({ answerers }: Question, { dandori, options }: Foreground): boolean {
  const by = options.user ?? dandori.config.userId;
  return answerers === undefined || (by !== undefined && answerers.includes(by));
}

function canAsk(question: Question, foreground: Foreground): boolean {
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  return isTerminal && foreground.options.json !== true && isMeant(question, foreground);
}

/** The first Ctrl-C cancels the run cleanly and aborts its calls. The second one quits. */
function catchInterrupts(run: string, { dandori, texts, watching, interrupted }: Foreground): () => void {
  const say = (text: string) =>
    watching.progress ? watching.progress.note(text) : process.stderr.write(`${text}\n`);
  let count = 0;
  const stop = () => {
    if (++count > 1) process.exit(130);
    say(texts.cancelling);
    watching.cancelling = dandori.cancel(run, texts.interrupted).catch((error: unknown) => {
      say(messageOf(error));
    });
    interrupted.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}
