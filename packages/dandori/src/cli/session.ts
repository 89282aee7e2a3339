import type { Report } from '../core/report.ts';
import { type Dandori, openDandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import { exitCodeOf } from './exit-code.ts';
import { createProgress, type Progress } from './progress.ts';
import { printReport } from './report.ts';
import { styleFor } from './style.ts';
import { type Texts, textsFor } from './texts.ts';

export interface SessionOptions {
  readonly config?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly goal?: string;
  /** A plan file: nothing is left to plan. */
  readonly plan?: string;
}

/** A run in the foreground: shown live, asked about on the spot, cancelled by Ctrl-C. */
export interface Session extends AsyncDisposable {
  readonly dandori: Dandori;
  /** Drives to the end, or until a question is left that nobody here can answer; returns the exit code. */
  follow(run: string): Promise<number>;
}

export async function openSession(options: SessionOptions): Promise<Session> {
  const watching: { progress?: Progress } = {};
  const dandori = await openDandori({
    configFile: options.config,
    onEvent: (event) => watching.progress?.event(event),
    onLive: (live) => watching.progress?.live(live),
  });
  const texts = textsFor({ language: dandori.config.language, goal: options.goal });
  if (options.json !== true) announce(dandori, texts, options.plan === undefined);
  return {
    dandori,
    async follow(run) {
      const uncatch = catchInterrupts(run, { dandori, options, texts, watching });
      try {
        const report = await driveAndAsk(run, { dandori, options, texts, watching });
        printReport(report, texts, options.json === true);
        return exitCodeOf(report.outcome);
      } finally {
        uncatch();
      }
    },
    [Symbol.asyncDispose]: () => dandori.close(),
  };
}

function announce(dandori: Dandori, texts: Texts, mustPlan: boolean): void {
  const style = styleFor(process.stderr);
  if (mustPlan && dandori.mindName === 'built-in')
    process.stderr.write(`${style.dim(texts.noLanguageModel)}\n`);
  for (const { server, reason } of dandori.missing()) {
    process.stderr.write(`${style.yellow('!')} ${texts.serverMissing(server)}: ${reason}\n`);
  }
}

interface Foreground {
  readonly dandori: Dandori;
  readonly options: SessionOptions;
  readonly texts: Texts;
  readonly watching: { progress?: Progress };
}

async function driveAndAsk(run: string, foreground: Foreground): Promise<Report> {
  const { dandori, options, texts, watching } = foreground;
  for (;;) {
    if (options.json !== true) {
      watching.progress = createProgress(process.stderr, texts);
      for (const event of await dandori.events(run)) watching.progress.replay(event);
    }
    const report = await dandori.drive(run).finally(() => watching.progress?.end());
    if (report.outcome !== 'waiting' || !(await answerAll(report, foreground))) return report;
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

async function answerTo(question: Question, { options }: Foreground): Promise<Json | undefined> {
  if (question.kind === 'approval' && options.yes === true) return 'approve';
  const canAsk = options.json !== true && process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (!canAsk) return undefined;
  const { ask } = await import('./ask.ts');
  return ask(question);
}

/** The first Ctrl-C cancels cleanly, so that running calls are told; the second quits. */
function catchInterrupts(run: string, { dandori, texts, watching }: Foreground): () => void {
  const say = (text: string) =>
    watching.progress ? watching.progress.note(text) : process.stderr.write(`${text}\n`);
  let count = 0;
  const interrupted = () => {
    if (++count > 1) process.exit(130);
    say(texts.cancelling);
    dandori.cancel(run, 'cancelled with Ctrl-C').catch((error: unknown) => {
      say(error instanceof Error ? error.message : String(error));
    });
  };
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', interrupted);
  return () => {
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  };
}
