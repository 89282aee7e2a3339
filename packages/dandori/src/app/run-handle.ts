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
import { DandoriError } from '../model/error.ts';
import { type Event, type FactOf, isUnfinished, type Live } from '../model/event.ts';
import type { Json } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import type { MissingServer } from '../model/tool.ts';
import type { AskedQuestion, Report } from '../views/report.ts';
import type { ResultPart, ResultRange } from '../views/result-page.ts';
import type { Runtime } from './dandori.ts';
import { type FollowOptions, type OnQuestion, type Run, RunError } from './run.ts';
import type { ApproveOptions, RejectOptions } from './run-client.ts';
import type { RunListeners } from './run-listeners.ts';

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
  return new RunHandle<Output, Yielded>(parts);
}

/** A class: with a thousand runs at once, an object with thirty functions for each would be a tenth of the memory. */
class RunHandle<Output, Yielded> implements Run<Output, Yielded> {
  readonly #parts: RunParts<Output>;
  #id: string;
  readonly #by: { readonly by?: string };
  /** Undefined for a run that exists. */
  readonly #started: Promise<void> | undefined;
  readonly #leaving = new AbortController();
  readonly #leavingNow = new AbortController();
  /** Answers that were given here and are not written yet. */
  readonly #answering = new Set<Promise<unknown>>();
  /** The loops over events that have not ended. Their bodies may still answer. */
  readonly #loops = new Set<Promise<void>>();
  #driving: Promise<Report> | undefined;
  readonly #leave: Leave = (grace) => this.#leaveWithin(grace);
  // The run may have ended before.
  readonly #abort = () => void this.cancel('aborted by the program').catch(() => {});

  constructor(parts: RunParts<Output>) {
    const { id, by, signal } = parts;
    this.#parts = parts;
    this.#id = id;
    this.#by = by === undefined ? {} : { by };
    this.#started = parts.start?.().then((actual) => {
      this.#id = actual;
    });
    // The methods below wait for the start and throw its error.
    this.#started?.catch(() => {});
    if (this.#started !== undefined) this.#drive();
    if (signal?.aborted === true) this.#abort();
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get id(): string {
    return this.#id;
  }

  events(options: FollowOptions & { readonly live: true }): AsyncIterableIterator<Event | Live>;
  events(options?: FollowOptions): AsyncIterableIterator<Event>;
  events(options: FollowOptions = {}): AsyncIterableIterator<Event | Live> {
    return this.#follow({ live: false, ...options });
  }

  async output({ wait = false }: { readonly wait?: boolean } = {}): Promise<Output> {
    const { runtime, toOutput } = this.#parts;
    for (;;) {
      const report = await this.#settled();
      if (report.outcome === 'answered') return toOutput(report);
      const isOpen = report.outcome === 'waiting' || report.outcome === 'paused';
      if (!isOpen || !wait) throw withoutOutput(report, runtime.missing());
      await this.#changed({ before: report, ...untilExpiry(report) });
    }
  }

  async report(): Promise<Report> {
    await this.#started;
    return this.#driving === undefined ? this.#parts.runtime.report(this.#id) : this.#driving;
  }

  async questions(): Promise<readonly AskedQuestion[]> {
    await this.#started;
    return (await this.#parts.runtime.report(this.#id)).questions;
  }

  answer(question: string, answer: Json): Promise<void> {
    return this.#answered((runtime) => runtime.answer(this.#id, question, answer, this.#by));
  }

  decline(question: string, { comment }: { readonly comment?: string } = {}): Promise<void> {
    const declined = { ...this.#by, declined: true, ...(comment !== undefined && { comment }) };
    return this.#answered((runtime) => runtime.answer(this.#id, question, null, declined));
  }

  approve(question?: string, options?: Pick<ApproveOptions, 'tasks'>): Promise<void> {
    return this.#answered((runtime) => runtime.approve(this.#id, question, { ...this.#by, ...options }));
  }

  reject(question?: string, options?: Pick<RejectOptions, 'reason'>): Promise<void> {
    return this.#answered((runtime) => runtime.reject(this.#id, question, { ...this.#by, ...options }));
  }

  async tell(text: string): Promise<void> {
    await this.#started;
    await this.#parts.runtime.tell(this.#id, text, this.#by);
  }

  async pause(options?: { readonly reason?: string }): Promise<void> {
    await this.#started;
    await this.#parts.runtime.pause(this.#id, { ...this.#by, ...options });
  }

  async resume({ raise }: { readonly raise?: FactOf<'budget_added'>['data'] } = {}): Promise<void> {
    const { runtime } = this.#parts;
    await this.#started;
    if (raise !== undefined) await runtime.addBudget(this.#id, { ...raise, ...this.#by });
    await runtime.continue(this.#id, this.#by);
    this.#drive();
  }

  async cancel(reason = 'cancelled by the program'): Promise<void> {
    await this.#started;
    await this.#parts.runtime.cancel(this.#id, reason, this.#by);
    await this.#drive();
  }

  async fork(options: ForkOptions): Promise<Run<Output, Yielded> & { readonly forked: Forked }> {
    await this.#started;
    const forked = await this.#parts.runtime.fork(this.#id, { ...this.#by, ...options });
    const { start: _start, signal: _signal, ...others } = this.#parts;
    return Object.assign(createRun<Output, Yielded>({ ...others, id: forked.run }), { forked });
  }

  replay(options?: ReplayOptions): Promise<Replayed> {
    return this.#parts.runtime.replay(this.#id, options);
  }

  history(): Promise<PlanHistory> {
    return this.#parts.runtime.history(this.#id);
  }

  toPlan(): Promise<Lifted> {
    return this.#parts.runtime.lift(this.#id);
  }

  toTest(): Promise<Recorded> {
    return this.#parts.runtime.record(this.#id);
  }

  result(task: string, wanted: ResultRange): Promise<ResultPart> {
    return this.#parts.runtime.result(this.#id, task, wanted);
  }

  rate(rating: Omit<Rating, 'by'>): Promise<void> {
    return this.#parts.runtime.rate(this.#id, { ...rating, ...this.#by });
  }

  [Symbol.asyncIterator](): AsyncIterator<Yielded> {
    return this.#follow({}) as AsyncIterator<Yielded>;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#leave();
  }

  #drive(): Promise<Report> {
    if (this.#driving !== undefined) return this.#driving;
    const { onDriving, signal } = this.#parts;
    onDriving(this.#leave, true);
    const current = this.#driveAndAnswer().finally(() => {
      this.#driving = undefined;
      onDriving(this.#leave, false);
    });
    this.#driving = current;
    current.then(
      ({ outcome }) => {
        if (!isUnfinished(outcome)) signal?.removeEventListener('abort', this.#abort);
      },
      // The caller gets the error too.
      () => {},
    );
    return current;
  }

  async #leaveWithin(grace: number | undefined): Promise<void> {
    this.#leaving.abort();
    const timer = grace === undefined ? undefined : setTimeout(() => this.#leavingNow.abort(), grace);
    await this.#driving?.catch(() => {});
    clearTimeout(timer);
  }

  async #driveAndAnswer(): Promise<Report> {
    await this.#started;
    const { onQuestion } = this.#parts;
    if (onQuestion === undefined) return this.#driveOrFollow();
    const asked = new Map<string, Promise<boolean>>();
    const ask = (question: AskedQuestion) => {
      const isAnswered = asked.get(question.id) ?? this.#answerInPlace(question, onQuestion);
      // Awaited below. Until then a rejection must not end the process.
      isAnswered.catch(() => {});
      asked.set(question.id, isAnswered);
      return isAnswered;
    };
    const unlisten = this.#parts.listeners.listen(this.#id, (one) => {
      // The call is held open while the user is asked, so the drive does not return.
      if (one.type === 'question_asked' && one.data.held === true)
        void ask({ ...one.data.question, askedAt: one.at, blocks: [] });
    });
    const { signal: soon } = this.#leaving;
    const over = new AbortController();
    let changed: Promise<void> | undefined;
    try {
      for (;;) {
        const report = await this.#driveOrFollow();
        if (report.outcome !== 'waiting' || soon.aborted) return report;
        const answers = report.questions.map(ask);
        // A callback may wait for a person. The run may be answered elsewhere, cancelled or left meanwhile. The first
        // time, the run is driven again instead: something may have been written before the watch began.
        if (changed !== undefined && !(await Promise.race([isAny(answers), changed.then(() => true)])))
          return report;
        changed = this.#changed({ signal: AbortSignal.any([soon, over.signal]), ...untilExpiry(report) });
      }
    } finally {
      over.abort();
      unlisten();
    }
  }

  /** True if the question has its answer, from the callback or from elsewhere. */
  async #answerInPlace(question: AskedQuestion, onQuestion: OnQuestion): Promise<boolean> {
    const { runtime } = this.#parts;
    const answer = await onQuestion(question, this);
    if (answer !== undefined) {
      await ignoringLate(runtime.answer(this.#id, question.id, answer, this.#by));
      return true;
    }
    const { questions } = await runtime.report(this.#id);
    return !questions.some((open: Question) => open.id === question.id);
  }

  async #driveOrFollow(): Promise<Report> {
    const { runtime } = this.#parts;
    const { signal: soon } = this.#leaving;
    for (;;) {
      try {
        return await runtime.drive(this.#id, { soon, now: this.#leavingNow.signal });
      } catch (error) {
        if (!(error instanceof DandoriError) || error.code !== 'run-driven-elsewhere') throw error;
      }
      const report = await runtime.report(this.#id);
      if (report.outcome !== 'open' || soon.aborted) return report;
      await this.#changed({ ms: BETWEEN_ATTEMPTS, signal: soon });
    }
  }

  /**
   * Resolves when something is written to the run, after `ms` milliseconds, or when the signal is aborted. Resolves
   * at once if the run already differs from `before`.
   */
  #changed({ before, ms, signal }: Waiting): Promise<void> {
    const { runtime } = this.#parts;
    return new Promise((resolve) => {
      const done = () => {
        unwatch();
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const unwatch = runtime.watch(this.#id, done);
      const timer = ms === undefined ? undefined : setTimeout(done, ms);
      signal?.addEventListener('abort', done);
      if (before !== undefined)
        void runtime.report(this.#id).then((now) => waitsFor(now) !== waitsFor(before) && done(), done);
    });
  }

  /** Drives until the run has ended, or waits for an answer that nothing here gives. */
  async #settled({ isLoop = false }: { isLoop?: boolean } = {}): Promise<Report> {
    for (;;) {
      const report = await this.#drive();
      if (report.outcome !== 'waiting') return report;
      if (this.#answering.size > 0) await Promise.allSettled(this.#answering);
      else if (!isLoop && this.#loops.size > 0)
        await Promise.race([...this.#loops, this.#changed({ before: report })]);
      else if (this.#driving === undefined) return report;
    }
  }

  /** Writes an answer, and drives the run on. */
  #answered(write: (runtime: Runtime) => Promise<unknown>): Promise<void> {
    const { runtime } = this.#parts;
    const written = this.#started === undefined ? write(runtime) : this.#started.then(() => write(runtime));
    this.#answering.add(written);
    const done = written.finally(() => this.#answering.delete(written)).then(() => void this.#drive());
    done.catch(() => {});
    return done;
  }

  async *#follow({
    live = this.#parts.live,
    ...options
  }: FollowOptions): AsyncGenerator<Event | Live, void, undefined> {
    const { runtime, listeners } = this.#parts;
    await this.#started;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let seq = options.after ?? 0;
    const heard: (Event | Live)[] = [];
    let wake = () => {};
    const unlisten = listeners.listen(this.#id, (one) => {
      heard.push(one);
      wake();
    });
    const isFollowing = options.follow ?? true;
    if (isFollowing) {
      this.#loops.add(ended);
      this.#drive();
    }
    const unwatch = runtime.watch(this.#id, () => wake());
    try {
      for (;;) {
        for (const event of await runtime.events(this.#id, seq)) {
          seq = event.seq;
          yield event;
        }
        if (!isFollowing) return;
        while (this.#driving !== undefined) {
          const next = heard.shift();
          if (next === undefined) {
            const woken = new Promise<void>((resolve) => {
              wake = resolve;
            });
            await Promise.race([woken, this.#driving.catch(() => {})]);
            // Another process writes, and this process gets no live updates.
            if (heard.length === 0) break;
          } else if (!('seq' in next)) {
            if (live) yield next;
          } else if (next.seq === seq + 1) {
            seq = next.seq;
            yield next;
          } else if (next.seq > seq) break;
        }
        if (this.#driving !== undefined) continue;
        const report = await this.#settled({ isLoop: true });
        const isOpen = report.outcome === 'waiting' || report.outcome === 'paused';
        const rest = await runtime.events(this.#id, seq);
        if (rest.length > 0) continue;
        if (!isOpen || options.wait !== true) return;
        await this.#changed({ before: report, ...untilExpiry(report) });
      }
    } finally {
      unlisten();
      unwatch();
      this.#loops.delete(ended);
      end();
    }
  }
}

async function isAny(answers: readonly Promise<boolean>[]): Promise<boolean> {
  return (await Promise.all(answers)).includes(true);
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
    const hints = new Set(questions.flatMap(({ hint }) => hint ?? []));
    const fix =
      'Pass `onQuestion`, call `run.answer`, or wait for an answer from elsewhere: `run.output({ wait: true })`.';
    return new RunError('run-waiting', `The run ${run} waits for an answer: ${asked}`, {
      fix: [fix, ...hints].join(' '),
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
