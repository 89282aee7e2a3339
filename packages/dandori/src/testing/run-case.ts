import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { addBudget, addNote, answerQuestion, continueRun, pauseRun, startRun } from '../commands/index.ts';
import { drive, type Parts } from '../driver/index.ts';
import { type CaseCall, type CaseCommand, type RecordedCase, recordedCase } from '../history/index.ts';
import type { Mind, Thinking } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import { DandoriError } from '../model/error.ts';
import { canonicalJson, type Json, type JsonObject, normalise, stringifyJson } from '../model/json.ts';
import type { Settings } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import type { Tool } from '../model/tool.ts';
import { fold } from '../run/state/apply.ts';
import type { OpenQuestion, RunState } from '../run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../store/implementations.ts';
import type { Call, CallOutcome, Toolbox } from '../tools/index.ts';
import { createSchemaCheck } from '../tools/schema/check.ts';
import { type Report, report } from '../views/report.ts';
import { pause } from './pause.ts';
import { createStepClock, type StepClock } from './step-clock.ts';

export interface CaseOptions {
  /** Settings that override those of the recorded run. */
  readonly settings?: Partial<Settings>;
  /** Current tools. They replace recorded tools of the same name and are not called. */
  readonly tools?: ReadonlyMap<string, Tool>;
}

/**
 * Runs a test case written by `dandori save-test` through the real compiler, scheduler and driver. The mind,
 * the tools and the user repeat what was recorded, on a clock that takes no time. Throws a `CaseError` with
 * the differences if another call is made, another plan is accepted or another answer is given.
 */
export async function runCase(source: string | RecordedCase, options: CaseOptions = {}): Promise<Report> {
  const recorded = typeof source === 'string' ? await readCase(source) : source;
  const clock = createStepClock();
  const mind = createCaseMind(recorded, clock);
  const toolbox = createCaseToolbox(recorded, { clock, tools: options.tools });
  const journal = createMemoryJournal();
  const check = createSchemaCheck();
  const own = { journal, blobs: createMemoryBlobs(), clock, toolbox, mind, check };
  const parts: Parts = { ...own, secrets: [], driver: 'case' };
  const { goal, userId, plan } = recorded;
  const settings = { ...recorded.settings, ...options.settings };
  const { run } = await startRun({ goal, settings, userId, tasks: plan }, parts);
  const people = createCasePeople(recorded.commands, { run, parts, clock });
  await people.listen();
  journal.watch(run, () => void people.listen());
  let state = await clock.runUntil(drive(run, parts));
  while (await people.goOn(state)) state = await clock.runUntil(drive(run, parts));
  const differences = [
    ...mind.problems(),
    ...toolbox.problems(),
    ...people.problems(state),
    ...differencesOf(recorded, state),
  ];
  if (differences.length > 0)
    throw new CaseError(typeof source === 'string' ? source : recorded.goal, differences);
  return report(state);
}

async function readCase(file: string): Promise<RecordedCase> {
  const read = recordedCase.safeParse(parse(await readFile(file, 'utf8')));
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CaseError(file, ['it is not a test case of `dandori save-test`', ...problems]);
}

/** A case did not run as recorded. */
export class CaseError extends Error {
  override readonly name = 'CaseError';
  readonly differences: readonly string[];

  constructor(what: string, differences: readonly string[]) {
    super([`${what} does not match its recording (- recorded, + now):`, ...differences].join('\n  '));
    this.differences = differences;
  }
}

/** Differences in plan, tasks, outcome and answer. */
function differencesOf({ expect }: RecordedCase, state: RunState): string[] {
  const now = report(state);
  const plan = planDifferences(
    expect.plan,
    [...state.tasks.values()].map(({ task }) => task),
  );
  const tasks = Object.entries(now.tasks).map(([id, { status }]) => [id, status] as const);
  return [
    ...(plan.length > 0 ? refusals(state) : []),
    ...plan,
    ...changed('tasks', expect.tasks, Object.fromEntries(tasks)),
    ...changed('outcome', expect.outcome, now.outcome),
    ...changed('failure', expect.failure ?? null, now.failure?.kind ?? null),
    ...changed('answer', expect.answer, now.answer),
  ];
}

/** Why the last rejected plan was rejected. */
function refusals({ rejection = [] }: RunState): string[] {
  return rejection.map(({ code, message }) => `the plan is refused now: ${message} (${code})`);
}

function planDifferences(then: readonly Task[], now: readonly Task[]): string[] {
  const ids = new Set([...then, ...now].map(({ id }) => id));
  return [...ids].flatMap((id) => {
    const [before, after] = [then.find((task) => task.id === id), now.find((task) => task.id === id)];
    return changed(`plan: ${id}`, (before ?? null) as Json, (after ?? null) as Json);
  });
}

function changed(what: string, then: Json, now: Json): string[] {
  const [before, after] = [textOf(then), textOf(now)];
  return before === after ? [] : [`${what}`, `  - ${before}`, `  + ${after}`];
}

function textOf(value: Json): string {
  return canonicalJson(normalise(value));
}

/** Repeats the recorded decisions, in order and with the same durations. */
interface CaseMind extends Mind {
  /** Where the requests differ from the recorded ones. */
  problems(): string[];
}

function createCaseMind({ mind: name, decisions }: RecordedCase, clock: Clock): CaseMind {
  const problems: string[] = [];
  let asked = 0;

  async function think(purpose: string): Promise<Thinking> {
    const said = decisions[asked++];
    if (said === undefined) {
      problems.push(
        `the mind was asked a ${asked}. time (${purpose}), and decided ${decisions.length} times`,
      );
      return { kind: 'failed', failure: { kind: 'model_error', message: 'no more', retryable: false } };
    }
    if (said.purpose !== purpose)
      problems.push(`decision ${asked} was asked for as "${purpose}", and was as "${said.purpose}"`);
    await new Promise<void>((resolve) => clock.at(clock.now() + said.ms, resolve));
    const { actions = [], reasoning, failure, next, usage } = said;
    if (failure !== undefined) return { kind: 'failed', failure, next, usage };
    return {
      kind: 'decided',
      actions,
      ...(reasoning !== undefined && { reasoning }),
      ...(usage && { usage }),
    };
  }

  /** The tokens or cost of the next call. Known only if the recorded call exceeded a limit. */
  async function weigh(): Promise<Awaited<ReturnType<NonNullable<Mind['weigh']>>>> {
    const needed = decisions[asked]?.needed;
    if (needed === undefined) return { tokens: 0 };
    asked++;
    const closing = needed.reserved === true ? { closing: { tokens: 0 } } : {};
    return needed.limit === 'tokens'
      ? { tokens: needed.amount, ...closing }
      : { tokens: 0, cost: needed.amount, ...closing };
  }

  return {
    name,
    think: ({ purpose }) => think(purpose),
    weigh,
    problems: () => [
      ...problems,
      ...decisions
        .slice(asked)
        .map(({ purpose }, index) => `decision ${asked + index + 1} (${purpose}) was never asked for`),
    ],
  };
}

/** Repeats what users did in the recorded run, at the same points. */
interface CasePeople {
  /** Repeats what users did while the run was driven. Call it after each change of the journal. */
  listen(): Promise<void>;
  /** Repeats the next user action while the run is idle. False if there is none. */
  goOn(state: RunState): Promise<boolean>;
  /** User actions that were never repeated. */
  problems(state: RunState): string[];
}

interface PeopleParts {
  readonly run: string;
  readonly parts: Parts;
  readonly clock: StepClock;
}

function createCasePeople(recorded: readonly CaseCommand[], { run, parts, clock }: PeopleParts): CasePeople {
  const commands = [...recorded];

  function take(fits: (command: CaseCommand) => boolean): CaseCommand | undefined {
    const index = commands.findIndex(fits);
    return index === -1 ? undefined : commands.splice(index, 1)[0];
  }

  async function answer(asked: OpenQuestion, { isHeld }: { isHeld: boolean }): Promise<boolean> {
    const taken = take(
      (command) =>
        command.answer !== undefined &&
        isAbout(command.answer, asked) &&
        (command.answer.text ?? asked.question.text) === asked.question.text &&
        (!isHeld || command.answer.held === true),
    );
    if (taken?.answer === undefined) return false;
    const { value, declined, comment } = taken.answer;
    const [by] = asked.question.answerers ?? [];
    await answerQuestion({ run, question: asked.question.id, answer: value, declined, comment, by }, parts);
    return true;
  }

  /** Repeats everything that is due by this decision, in the recorded order. */
  async function atMoment(begun: number): Promise<void> {
    for (;;) {
      const next = commands.find(({ note, pause }) => note !== undefined || pause !== undefined);
      const moment = next?.note?.decision ?? next?.pause?.decision ?? Number.POSITIVE_INFINITY;
      if (next === undefined || moment > begun) return;
      take((command) => command === next);
      if (next.note !== undefined) await addNote({ run, ...next.note }, parts);
      if (next.pause !== undefined) await pauseRun({ run, reason: next.pause.reason }, parts);
    }
  }

  async function lookNow(): Promise<void> {
    const events = await parts.journal.read(run);
    const state = fold(events);
    if (state === undefined || state.end !== undefined) return;
    // If the run took another course, a late command fails. The difference shows in the outcome.
    await atMoment(events.filter(({ type }) => type === 'decision_started').length).catch(ignoreRefusal);
    for (const asked of openIn(state))
      if (asked.isHeld) await answer(asked, { isHeld: true }).catch(ignoreRefusal);
  }

  /** One check at a time, so that no question is answered twice. */
  let looking: Promise<void> = Promise.resolve();

  return {
    listen() {
      looking = looking.then(lookNow);
      return looking;
    },
    async goOn(state) {
      if (state.end?.outcome === 'exhausted') {
        const more = take(({ addBudget: amounts }) => amounts !== undefined)?.addBudget;
        if (more !== undefined) await addBudget({ run, ...more }, parts);
        return more !== undefined;
      }
      if (state.end !== undefined) return false;
      if (state.paused !== undefined) {
        const isOver = take((command) => command.continue !== undefined) !== undefined;
        if (isOver) await continueRun({ run }, parts);
        return isOver;
      }
      let isAnswered = false;
      for (const asked of openIn(state)) if (await answer(asked, { isHeld: false })) isAnswered = true;
      if (isAnswered) return true;
      const expiry = Math.min(
        ...openIn(state)
          .filter((asked) => commands.some(({ expire }) => expire !== undefined && isAbout(expire, asked)))
          .map(({ question }) => question.expiresAt ?? Number.POSITIVE_INFINITY),
      );
      if (!Number.isFinite(expiry)) return false;
      await clock.advance(Math.max(0, expiry - clock.now()));
      return true;
    },
    problems(state) {
      for (const asked of state.questions.values())
        if (asked.answer?.isExpired === true)
          take(({ expire }) => expire !== undefined && isAbout(expire, asked));
      return commands.map((command) => `never done: ${stringifyJson(command)}`);
    },
  };
}

function isAbout(
  { kind, task }: Pick<NonNullable<CaseCommand['expire']>, 'kind' | 'task'>,
  { question }: OpenQuestion,
): boolean {
  return kind === question.kind && task === question.task;
}

function openIn({ questions }: RunState): OpenQuestion[] {
  return [...questions.values()].filter(({ answer }) => answer === undefined);
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof DandoriError)) throw error;
}

/**
 * Returns recorded outcomes by operation and arguments. Among equal calls, those of the same task come first,
 * in order.
 */
interface CaseToolbox extends Toolbox {
  /** Calls that are new, and recorded calls that are no longer made. */
  problems(): string[];
}

interface CaseToolboxOptions {
  readonly clock: Clock;
  readonly tools?: ReadonlyMap<string, Tool> | undefined;
}

function createCaseToolbox(recorded: RecordedCase, { clock, tools }: CaseToolboxOptions): CaseToolbox {
  const known = new Map<string, Tool>(
    recorded.tools.map((tool) => [tool.name, tools?.get(tool.name) ?? tool]),
  );
  const left = new Map<string, CaseCall[]>();
  for (const call of recorded.calls) {
    const key = keyOf(call);
    left.set(key, [...(left.get(key) ?? []), call]);
  }
  const strange: Call[] = [];
  const otherwise: string[] = [];

  /** Asks the recorded questions, and waits for the recorded answers. */
  async function ask(call: Call, { asks = [] }: CaseCall): Promise<void> {
    for (const { told, ...request } of asks) {
      const answer = call.elicit?.(request);
      if (told === undefined) continue;
      const { action } = (await answer) ?? { action: 'cancel' };
      if (action !== told)
        otherwise.push(`${shown(call)}   asked "${request.text}" and was told ${told}, and ${action} now`);
    }
  }

  function take(call: Call): CaseCall | undefined {
    const list = left.get(keyOf(call)) ?? [];
    const index = list.findIndex(({ task }) => task === call.task);
    return list.splice(Math.max(index, 0), 1)[0];
  }

  return {
    tools: () => known,
    missing: () => [],
    async call(call) {
      const found = take(call);
      if (found === undefined) {
        strange.push(call);
        const message = 'There is no record of this call.';
        return { kind: 'failed', failure: { kind: 'tool_error', message } };
      }
      await ask(call, found);
      const isAborted = await pause(clock, found.ms, call.signal);
      return isAborted ? { kind: 'lost', cause: 'cancelled', message: 'aborted' } : outcomeOf(found);
    },
    async close() {},
    problems() {
      const unmade = [...left.values()].flat();
      return [
        ...otherwise,
        ...strange.map((call) => `+ ${shown(call)}${instead(call, unmade)}`),
        ...unmade.map((call) => `- ${shown(call)}   was called in the recording, not now`),
      ];
    },
  };
}

function instead({ task }: Call, unmade: readonly CaseCall[]): string {
  const isOther = unmade.some((call) => call.task === task);
  return isOther ? '   is called now, with other arguments' : '   is called now, not in the recording';
}

function shown({ task, operation, args }: Pick<Call, 'task' | 'operation' | 'args'>): string {
  return `${task} ${operation} ${stringifyJson(args)}`;
}

function keyOf({
  operation,
  args,
  preview,
}: {
  operation: string;
  args: JsonObject;
  preview?: unknown;
}): string {
  return canonicalJson([operation, args, preview !== undefined]);
}

function outcomeOf({ result = null, failure, lost, ambiguous, wanted, note }: CaseCall): CallOutcome {
  if (failure !== undefined) return { kind: 'failed', failure };
  if (lost !== undefined) return { kind: 'lost', cause: lost, message: lost };
  if (ambiguous !== undefined) return { kind: 'ambiguous', ...ambiguous };
  if (wanted !== undefined) return { kind: 'input_wanted', ...wanted };
  return { kind: 'succeeded', result, ...(note !== undefined && { note }) };
}
