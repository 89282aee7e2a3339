import type { Report } from '../core/report.ts';
import type { Dandori, TornTail } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import type { Event } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import { announce, announceTorn, announceUserConfig } from './announce.ts';
import { exitCodeOf } from './exit-code.ts';
import { openDandori } from './open.ts';
import { createProgress, type Progress } from './progress.ts';
import { printReport } from './report.ts';
import { styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';
import { asTyped } from './typed.ts';

export interface SessionOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly goal?: string;
}

/** A run in the foreground: shown live, asked about on the spot, cancelled by Ctrl-C. */
export interface Session extends AsyncDisposable {
  readonly dandori: Dandori;
  /** Drives to the end, or until a question is left that nobody here can answer; returns the exit code. */
  follow(run: string): Promise<number>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const torn: TornTail[] = [];
  const watching: Watching = { hasDriven: false, hasPlanned: false };
  const dandori = await openDandori({
    configFile: options.config,
    onEvent: (event) => show(event, { mind: dandori.mindName, watching }),
    onLive: (live) => watching.progress?.live(live),
    onWarning: (warning) => announceUserConfig(warning, textsFor({ language, goal: options.goal })),
    onTorn: (tail) => torn.push(tail),
  });
  const { language } = dandori.config;
  if (options.json !== true) announce(dandori, textsFor({ language, goal: options.goal }));
  return {
    dandori,
    async follow(run) {
      const { goal } = await dandori.report(run);
      const [first] = await dandori.events(run);
      const own = first?.type === 'run_started' ? first.data.settings.language : undefined;
      const texts = textsFor({ language: own ?? language, goal });
      // Others are read too, for how long tools take.
      for (const tail of torn.filter((found) => found.run === run)) announceTorn(tail, texts);
      watching.texts = texts;
      const foreground = { dandori, options, texts, watching, interrupted: new AbortController() };
      const uncatch = catchInterrupts(run, foreground);
      try {
        const report = await driveAndAsk(run, foreground);
        printReport(report, { texts, json: options.json, config: options.config });
        return exitCodeOf(report.outcome);
      } finally {
        uncatch();
      }
    },
    [Symbol.asyncDispose]: () => dandori.close(),
  };
}

interface Watching {
  progress?: Progress;
  texts?: Texts;
  /** Whether anything of the run was done by this process. */
  hasDriven: boolean;
  /** Whether the mind was asked for a plan. */
  hasPlanned: boolean;
  /** The request to cancel, until it is written down. */
  cancelling?: Promise<void>;
}

function show(event: Event, { mind, watching }: { mind: string; watching: Watching }): void {
  const { progress, texts } = watching;
  const isAsked = event.type === 'decision_started' && event.data.purpose === 'act';
  if (isAsked && mind === 'built-in' && !watching.hasPlanned && texts !== undefined)
    progress?.note(styleFor(process.stderr).dim(asTyped(texts.noLanguageModel)));
  // After an answer on the spot the run is taken up again in the journal, and nobody has noticed a pause.
  if (event.type === 'run_resumed' && watching.hasDriven) progress?.replay(event);
  else progress?.event(event);
  watching.hasDriven = true;
  watching.hasPlanned ||= isAsked;
}

interface Foreground {
  readonly dandori: Dandori;
  readonly options: SessionOptions;
  readonly texts: Texts;
  readonly watching: Watching;
  /** Aborted by a signal from the terminal or the system. */
  readonly interrupted: AbortController;
}

async function driveAndAsk(run: string, foreground: Foreground): Promise<Report> {
  const { dandori, options, texts, watching } = foreground;
  for (;;) {
    if (options.json !== true) {
      watching.progress = createProgress(process.stderr, texts);
      for (const event of await dandori.events(run)) watching.progress.replay(event);
    }
    const report = await dandori.drive(run).finally(() => watching.progress?.end());
    if (report.outcome !== 'waiting') return report;
    const isAnswered = await answerAll(report, foreground);
    // A signal at the prompt cancels the run: it is driven once more, to its end.
    if (!isAnswered && !foreground.interrupted.signal.aborted) return report;
    await watching.cancelling;
  }
}

/** True where every question got an answer, so that the run can go on. */
async function answerAll(report: Report, foreground: Foreground): Promise<boolean> {
  for (const question of report.questions) {
    const answer = await answerTo(question, foreground);
    if (answer === undefined) return false;
    try {
      await foreground.dandori.answer(report.run, question.id, answer);
    } catch (error) {
      // Somebody else was quicker; their answer holds.
      if (!(error instanceof DandoriError && error.code === 'question-answered')) throw error;
    }
  }
  return true;
}

async function answerTo(
  question: Question,
  { options, texts, interrupted }: Foreground,
): Promise<Json | undefined> {
  if (question.kind === 'approval' && options.yes === true) return 'approve';
  const canAsk = options.json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (!canAsk) return undefined;
  const { ask } = await import('./ask.ts');
  return ask(question, texts, interrupted.signal);
}

/** The first Ctrl-C cancels cleanly, so that running calls are told; the second quits. */
function catchInterrupts(run: string, { dandori, texts, watching, interrupted }: Foreground): () => void {
  const say = (text: string) =>
    watching.progress ? watching.progress.note(text) : process.stderr.write(`${text}\n`);
  let count = 0;
  const stop = () => {
    if (++count > 1) process.exit(130);
    say(texts.cancelling);
    watching.cancelling = dandori.cancel(run, texts.interrupted).catch((error: unknown) => {
      say(error instanceof Error ? error.message : String(error));
    });
    interrupted.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  return () => {
    for (const signal of signals) process.off(signal, stop);
  };
}
