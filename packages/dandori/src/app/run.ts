import type { Rating } from '../commands/index.ts';
import type {
  Forked,
  ForkOptions,
  Lifted,
  PlanHistory,
  Recorded,
  Replayed,
  ReplayOptions,
} from '../history/index.ts';
import { DandoriError, type ErrorCode } from '../model/error.ts';
import { type Event, type FactOf, isUnfinished, type Live } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import type { MissingServer } from '../model/tool.ts';
import type { AskedQuestion, Report } from '../views/report.ts';
import type { ResultPart, ResultRange } from '../views/result-page.ts';
import type { Runtime } from './dandori.ts';
import type { ApproveOptions, RejectOptions } from './run-client.ts';
import type { RunListeners } from './run-listeners.ts';

export interface FollowOptions {
  /** Also yields messages that are never journaled: text while it is written, and the progress of calls. */
  readonly live?: boolean;
  /** Skips the events up to this number. */
  readonly after?: number;
  /** False to read what is written so far, without driving the run. */
  readonly follow?: boolean;
  /** If the run waits for an answer that nothing here gives, waits for one from elsewhere. */
  readonly wait?: boolean;
}

/** Answers a question in place. Undefined leaves it open. */
export type OnQuestion = (
  question: AskedQuestion,
  run: Run<unknown, unknown>,
) => Json | undefined | Promise<Json | undefined>;

/**
 * One run. `dandori.run` drives it at once. `dandori.open` drives it when its output or its events are asked
 * for; if another process drives it, this handle follows.
 *
 * Iterating yields every event from the first on, until the run has ended. It also stops if the run waits for
 * an answer and neither `onQuestion` nor the body of the loop gives one.
 */
export interface Run<Output = string, Yielded = Event> extends AsyncIterable<Yielded>, AsyncDisposable {
  /** With `key`: that of the first run with the same key, once it is known. */
  readonly id: string;
  /** What the iteration yields, with other options. */
  events(options: FollowOptions & { readonly live: true }): AsyncIterableIterator<Event | Live>;
  events(options?: FollowOptions): AsyncIterableIterator<Event>;
  /**
   * The answer: a text, or a value that fits the `output` of the run. Throws a `RunError` if the run ends
   * without one (`run-failed`), or needs an answer that this program does not give (`run-waiting`).
   */
  output(options?: { readonly wait?: boolean }): Promise<Output>;
  /** What the run did. Waits while this process drives it, until it has ended or needs an answer. */
  report(): Promise<Report>;
  /** The open questions. */
  questions(): Promise<readonly AskedQuestion[]>;
  answer(question: string, answer: Json): Promise<void>;
  decline(question: string, options?: { readonly comment?: string }): Promise<void>;
  /** Approves a call or a plan. The question may be omitted if only one approval is open. */
  approve(question?: string, options?: Pick<ApproveOptions, 'tasks'>): Promise<void>;
  /** Rejects a call or a plan. The model gets the reason. */
  reject(question?: string, options?: Pick<RejectOptions, 'reason'>): Promise<void>;
  /** Adds a note that the next decision of the run reads. */
  tell(text: string): Promise<void>;
  /** Lets running calls finish. Nothing else starts until `resume`. */
  pause(options?: { readonly reason?: string }): Promise<void>;
  /** Ends a pause or raises limits, and drives the run. */
  resume(options?: { readonly raise?: FactOf<'budget_added'>['data'] }): Promise<void>;
  /** Stops all calls and ends the run. */
  cancel(reason?: string): Promise<void>;
  /** A new run with the same past. No past call is repeated. */
  fork(options: ForkOptions): Promise<Run<Output, Yielded> & { readonly forked: Forked }>;
  /** Computes the run again from its journal alone, and verifies each event that the engine decided. */
  replay(options?: ReplayOptions): Promise<Replayed>;
  /** The current plan, and every proposal, revision and reflection that led to it. */
  history(): Promise<PlanHistory>;
  /** A plan that repeats what the run has done so far. */
  toPlan(): Promise<Lifted>;
  /** A test case made from the run, for `runCase` of `dandori/testing`. */
  toTest(): Promise<Recorded>;
  /** A part of a task's result, even of a large one. */
  result(task: string, wanted: ResultRange): Promise<ResultPart>;
  rate(rating: Omit<Rating, 'by'>): Promise<void>;
  /** Lets running calls finish and stops driving the run here. It can be opened and continued later. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A run that has no output to give: it ended without an answer, or waits for one. */
export class RunError extends DandoriError {
  readonly report: Report;

  constructor(code: ErrorCode, message: string, { fix, report }: { fix: string; report: Report }) {
    super(code, message, { fix });
    this.report = report;
  }
}

export interface RunParts<Output> {
  readonly runtime: Runtime;
  readonly listeners: RunListeners;
  readonly id: string;
  /** Starts the run, and returns its id. Missing for a run that exists. */
  readonly start?: () => Promise<string>;
  /** The user who acts. */
  readonly by?: string | undefined;
  /** Cancels the run. */
  readonly signal?: AbortSignal | undefined;
  readonly onQuestion?: OnQuestion | undefined;
  /** What the iteration yields by default. */
  readonly live: boolean;
  readonly toOutput: (report: Report) => Output | Promise<Output>;
  /** Called with a `stop` function when a drive begins, and with the same function when it ends. */
  readonly onDriving: (leave: Leave, isDriving: boolean) => void;
}

/** Stops driving. Running calls finish, for at most `grace` milliseconds. */
export type Leave = (grace?: number) => Promise<void>;

/** Milliseconds between two attempts to drive a run that another process drives. That process may die. */
const BETWEEN_ATTEMPTS = 1_000;

const A_DAY = 86_400_000;

/** Milliseconds until the first open question expires: then the run continues without an answer. At most a day. */
function untilExpiry({ questions }: Report): { readonly ms?: number } {
  const next = Math.min(...questions.map(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt));
  if (!Number.isFinite(next)) return {};
  return { ms: Math.min(Math.max(next - Date.now(), 0) + 1, A_DAY) };
}

interface Waiting {
  readonly before?: Report;
  readonly ms?: number;
  readonly signal?: AbortSignal;
}

/** What a run needs before it can go on. */
function waitsFor({ outcome, questions }: Report): string {
  return [outcome, ...questions.map(({ id }) => id)].join();
}

export function createRun<Output, Yielded>(parts: RunParts<Output>): Run<Output, Yielded> {
  const { runtime, listeners, by, onQuestion, signal } = parts;
  let { id } = parts;
  const who = by === undefined ? {} : { by };
  const leaving = new AbortController();
  const leavingNow = new AbortController();
  /** Answers that were given here and are not written yet. */
  const answering = new Set<Promise<unknown>>();
  /** The loops over events that have not ended. Their bodies may still answer. */
  const loops = new Set<Promise<void>>();
  let driving: Promise<Report> | undefined;
  const started = parts.start?.().then((actual) => {
    id = actual;
  });
  // The methods below wait for the start and throw its error.
  started?.catch(() => {});

  function drive(): Promise<Report> {
    if (driving !== undefined) return driving;
    parts.onDriving(leave, true);
    const current = driveAndAnswer().finally(() => {
      driving = undefined;
      parts.onDriving(leave, false);
    });
    driving = current;
    current.catch(() => {});
    return current;
  }

  // The run may have ended before.
  const abort = () => void run.cancel('aborted by the program').catch(() => {});

  async function leave(grace?: number): Promise<void> {
    leaving.abort();
    const timer = grace === undefined ? undefined : setTimeout(() => leavingNow.abort(), grace);
    await driving?.catch(() => {});
    clearTimeout(timer);
  }

  async function driveAndAnswer(): Promise<Report> {
    await started;
    const asked = new Map<string, Promise<boolean>>();
    const ask = (question: AskedQuestion) => {
      const isAnswered = asked.get(question.id) ?? answerInPlace(question);
      // Awaited below. Until then a rejection must not end the process.
      isAnswered.catch(() => {});
      asked.set(question.id, isAnswered);
      return isAnswered;
    };
    const unlisten = listeners.listen(id, (one) => {
      // The call is held open while the user is asked, so the drive does not return.
      if (one.type === 'question_asked' && one.data.held === true && onQuestion !== undefined)
        void ask({ ...one.data.question, askedAt: one.at, blocks: [] });
    });
    try {
      for (;;) {
        const report = await driveOrFollow();
        if (!isUnfinished(report.outcome)) signal?.removeEventListener('abort', abort);
        if (report.outcome !== 'waiting' || onQuestion === undefined || leaving.signal.aborted) return report;
        const answers = await Promise.all(report.questions.map(ask));
        if (!answers.includes(true)) return report;
      }
    } finally {
      unlisten();
    }
  }

  /** True if the question has its answer, from the callback or from elsewhere. */
  async function answerInPlace(question: AskedQuestion): Promise<boolean> {
    const answer = await onQuestion?.(question, run);
    if (answer !== undefined) {
      await ignoringLate(runtime.answer(id, question.id, answer, who));
      return true;
    }
    const { questions } = await runtime.report(id);
    return !questions.some((open: Question) => open.id === question.id);
  }

  async function driveOrFollow(): Promise<Report> {
    for (;;) {
      const { signal: soon } = leaving;
      try {
        return await runtime.drive(id, { soon, now: leavingNow.signal });
      } catch (error) {
        if (!(error instanceof DandoriError) || error.code !== 'run-driven-elsewhere') throw error;
      }
      const report = await runtime.report(id);
      if (report.outcome !== 'open' || soon.aborted) return report;
      await changed({ ms: BETWEEN_ATTEMPTS, signal: soon });
    }
  }

  /**
   * Resolves when something is written to the run, after `ms` milliseconds, or when the signal is aborted. Resolves
   * at once if the run already differs from `before`.
   */
  function changed({ before, ms, signal }: Waiting): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        unwatch();
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = runtime.watch(id, done);
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      signal?.addEventListener('abort', done);
      if (before !== undefined)
        void runtime.report(id).then((now) => waitsFor(now) !== waitsFor(before) && done(), done);
    });
  }

  /** Drives until the run has ended, or waits for an answer that nothing here gives. */
  async function settled({ isLoop = false }: { isLoop?: boolean } = {}): Promise<Report> {
    for (;;) {
      const report = await drive();
      if (report.outcome !== 'waiting') return report;
      if (answering.size > 0) await Promise.allSettled(answering);
      else if (!isLoop && loops.size > 0) await Promise.race([...loops, changed({ before: report })]);
      else if (driving === undefined) return report;
    }
  }

  /** Writes an answer, and drives the run on. */
  function answered(write: () => Promise<unknown>): Promise<void> {
    const written = started === undefined ? write() : started.then(write);
    answering.add(written);
    const done = written.finally(() => answering.delete(written)).then(() => void drive());
    done.catch(() => {});
    return done;
  }

  async function* follow({ live = parts.live, ...options }: FollowOptions): AsyncGenerator<Event | Live> {
    await started;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let seq = options.after ?? 0;
    const heard: (Event | Live)[] = [];
    let wake = () => {};
    const unlisten = listeners.listen(id, (one) => {
      heard.push(one);
      wake();
    });
    const isFollowing = options.follow ?? true;
    if (isFollowing) {
      loops.add(ended);
      drive();
    }
    const unwatch = runtime.watch(id, () => wake());
    try {
      for (;;) {
        for (const event of await runtime.events(id, seq)) {
          seq = event.seq;
          yield event;
        }
        if (!isFollowing) return;
        while (driving !== undefined) {
          const next = heard.shift();
          if (next === undefined) {
            const woken = new Promise<void>((resolve) => {
              wake = resolve;
            });
            await Promise.race([woken, driving.catch(() => {})]);
            // Another process writes, and this process gets no live updates.
            if (heard.length === 0) break;
          } else if (!('seq' in next)) {
            if (live) yield next;
          } else if (next.seq === seq + 1) {
            seq = next.seq;
            yield next;
          } else if (next.seq > seq) break;
        }
        if (driving !== undefined) continue;
        const report = await settled({ isLoop: true });
        const isOpen = report.outcome === 'waiting' || report.outcome === 'paused';
        const rest = await runtime.events(id, seq);
        if (rest.length > 0) continue;
        if (!isOpen || options.wait !== true) return;
        await changed({ before: report, ...untilExpiry(report) });
      }
    } finally {
      unlisten();
      unwatch();
      loops.delete(ended);
      end();
    }
  }

  const run: Run<Output, Yielded> = {
    get id() {
      return id;
    },
    events: (options: FollowOptions = {}) =>
      follow({ live: false, ...options }) as AsyncIterableIterator<Event>,
    async output({ wait = false } = {}) {
      for (;;) {
        const report = await settled();
        if (report.outcome === 'answered') return parts.toOutput(report);
        const isOpen = report.outcome === 'waiting' || report.outcome === 'paused';
        if (!isOpen || !wait) throw withoutOutput(report, runtime.missing());
        await changed({ before: report, ...untilExpiry(report) });
      }
    },
    async report() {
      await started;
      return driving === undefined ? runtime.report(id) : driving;
    },
    async questions() {
      await started;
      return (await runtime.report(id)).questions;
    },
    answer: (question, answer) => answered(() => runtime.answer(id, question, answer, who)),
    decline: (question, { comment } = {}) =>
      answered(() =>
        runtime.answer(id, question, null, {
          ...who,
          declined: true,
          ...(comment !== undefined && { comment }),
        }),
      ),
    approve: (question, options) => answered(() => runtime.approve(id, question, { ...who, ...options })),
    reject: (question, options) => answered(() => runtime.reject(id, question, { ...who, ...options })),
    async tell(text) {
      await started;
      await runtime.tell(id, text, who);
    },
    async pause(options) {
      await started;
      await runtime.pause(id, { ...who, ...options });
    },
    async resume({ raise } = {}) {
      await started;
      if (raise !== undefined) await runtime.addBudget(id, { ...raise, ...who });
      await runtime.continue(id, who);
      drive();
    },
    async cancel(reason = 'cancelled by the program') {
      await started;
      await runtime.cancel(id, reason, who);
      await drive();
    },
    async fork(options) {
      await started;
      const forked = await runtime.fork(id, { ...who, ...options });
      const { start: _start, signal: _signal, ...others } = parts;
      return Object.assign(createRun<Output, Yielded>({ ...others, id: forked.run }), { forked });
    },
    replay: (options) => runtime.replay(id, options),
    history: () => runtime.history(id),
    toPlan: () => runtime.lift(id),
    toTest: () => runtime.record(id),
    result: (task, wanted) => runtime.result(id, task, wanted),
    rate: (rating) => runtime.rate(id, { ...rating, ...who }),
    [Symbol.asyncIterator]: () => follow({}) as AsyncIterableIterator<Yielded>,
    [Symbol.asyncDispose]: () => leave(),
  };
  if (started !== undefined) drive();
  if (signal?.aborted === true) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return run;
}

/** The answer came from elsewhere in the meantime. */
async function ignoringLate(answer: Promise<void>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    const isLate = error instanceof DandoriError && ['question-answered', 'run-ended'].includes(error.code);
    if (!isLate) throw error;
  }
}

function withoutOutput(report: Report, missing: readonly MissingServer[]): RunError {
  const { run, outcome, failure, questions, limit } = report;
  if (outcome === 'waiting') {
    const asked = questions.map(({ id, text }) => `${id}: ${text}`).join('; ');
    return new RunError('run-waiting', `The run ${run} waits for an answer: ${asked}`, {
      fix: 'Pass `onQuestion`, call `run.answer`, or wait for an answer from elsewhere: `run.output({ wait: true })`.',
      report,
    });
  }
  if (outcome === 'paused' || outcome === 'open')
    return new RunError('run-waiting', `The run ${run} has stopped and not ended.`, {
      fix: 'Continue it with `run.resume()`. Await the output before you close Dandori.',
      report,
    });
  const why = failure?.message ?? (limit === undefined ? outcome : `limit reached: ${limit}`);
  // The reason is not part of the failure, because the failure is told to the model.
  const reasons = missing.map(({ server, reason }) => `${server} is not available: ${reason}.`);
  const seeReport = `Its report says what was done: \`run.report()\`, or \`dandori show ${run}\`.`;
  return new RunError('run-failed', `The run ${run} ended without an answer (${outcome}): ${why}`, {
    fix: [...reasons, seeReport].join(' '),
    report,
  });
}
