import type { Mind, Thought } from '../mind/index.ts';
import { assertNever } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import { toFailure } from '../model/failure.ts';
import { type JsonObject, stringifyJson } from '../model/json.ts';
import { holdsRedacted } from '../model/redact.ts';
import type { Action } from '../model/task.ts';
import { type Effect, isWorse } from '../model/tool.ts';
import type { CheckedTasks, Compiled } from '../plan/compile.ts';
import { refsIn } from '../plan/fill-refs.ts';
import { writeRef } from '../plan/refs.ts';
import { appliedAnswer } from '../run/answers.ts';
import { asksFirst, isNeverAsked } from '../run/approval.ts';
import { replacementFor } from '../run/drafts/replacement.ts';
import type { Ending, Intention } from '../run/intention.ts';
import { tokensUsed } from '../run/limits.ts';
import { doneBefore } from '../run/repeats.ts';
import { inputsOf } from '../run/state/held-calls.ts';
import { nextQuestion } from '../run/state/questions.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { nextOffer } from '../tools/index.ts';
import { checkOpened, sealingOf } from '../trust/index.ts';
import { partialAnswer } from '../views/report.ts';
import { textsOf } from '../views/texts/driver.ts';
import { textsOf as runTexts } from '../views/texts/run.ts';
import { wordFor } from '../views/texts/said.ts';
import type { Calls } from './calls.ts';
import { compilePlan } from './compile-plan.ts';
import { fillArgs } from './fill-args.ts';
import type { Holds } from './holds.ts';
import type { InnerCalls } from './inner-calls.ts';
import type { Ledger } from './ledger.ts';
import type { Mailbox } from './mailbox.ts';
import type { Parts } from './parts.ts';
import type { ReadAhead } from './prefetch.ts';
import { callDigest } from './questions.ts';
import type { Results } from './results.ts';
import { settle } from './settle.ts';

/** Everything that one drive works with. */
export interface Driver {
  readonly run: string;
  readonly parts: Parts;
  readonly ledger: Ledger;
  readonly mailbox: Mailbox;
  readonly calls: Calls;
  readonly results: Results;
  readonly holds: Holds;
  readonly innerCalls: InnerCalls;
  readonly readAhead: ReadAhead;
  /** Tasks that were checked in this drive, so that none is checked twice. */
  readonly checked: CheckedTasks;
  /** The plan that was given at the start, where it was compiled then and the tools are still the same. */
  readonly compiledAtStart: () => Compiled | undefined;
}

type Carried = Exclude<Intention, { type: 'wake_at' }>;

/** Carries out one intention: records its facts, and plans what is to be done once they are durable. */
export async function perform(intention: Carried, driver: Driver): Promise<void> {
  switch (intention.type) {
    case 'compile_plan':
      return compilePlan(driver);
    case 'think':
      return think(intention, driver);
    case 'start_task':
      return startTask(intention.task, driver);
    case 'ask_approval':
      return askApproval(intention.task, driver);
    case 'settle':
      return settle(intention.task, driver);
    case 'end_hold':
      return endHold(intention.task, driver);
    case 'expire_question': {
      const { question, as } = intention;
      return driver.ledger.record({ type: 'question_expired', data: { question, as } });
    }
    case 'apply_answer':
      return applyAnswer(intention.task, driver);
    case 'replace_task':
      return replaceTask(intention.task, driver);
    case 'abort_calls':
      return driver.calls.abort(intention.reason);
    case 'finish':
      return finish(intention.ending, driver);
    default:
      return assertNever(intention);
  }
}

async function think(
  { purpose, brief }: Intention & { type: 'think' },
  { run, ledger, parts, calls, results, readAhead }: Driver,
): Promise<void> {
  const { state } = ledger;
  const decision = state.decisions.length + 1;
  const readOn = readAhead.listen(decision, purpose);
  const tools = parts.toolbox.tools();
  const offer = nextOffer(state, tools);
  const thought = {
    purpose,
    brief,
    offer,
    state,
    tools,
    missing: parts.toolbox.missing(),
    result: (task: string) => results.get(state, task),
    resultText: (task: string, limit?: number) => results.text(state, task, limit),
    onText: (text: string) => parts.onLive?.({ type: 'answer_text', run, text }),
    onAction: (action: Action) => {
      parts.onLive?.({ type: 'action_written', run, action });
      readOn(action);
    },
  };
  const shortage = await tooDear(thought, parts.mind);
  if (shortage !== undefined) {
    ledger.record({ type: 'limit_reached', data: shortage });
    return;
  }
  ledger.record({
    type: 'decision_started',
    data: { decision, purpose, ...(brief && { brief }), ...(offer && { offer }) },
  });
  calls.planThought(decision, thought);
}

async function startTask(id: string, driver: Driver): Promise<void> {
  const { run, ledger, calls, parts } = driver;
  const task = ledger.state.tasks.get(id);
  if (task === undefined) return;
  const attempt = task.attempts + 1;
  // A task that was begun before the run was forked is still known by the key that was sent then.
  const key = task.key ?? `${run}/${id}`;
  const filled = await fillIn(task, driver);
  const written = task.override ?? task.task.args;
  const args = filled.ok && filled.args !== written ? { args: filled.args } : {};
  if (filled.ok && mustAskAgain(task, filled.args, driver)) {
    await askApproval(id, driver);
    return;
  }
  const done = filled.ok && filled.args !== written ? doneNow(task, filled.args, ledger.state) : undefined;
  if (done !== undefined && !isNeverAsked(task.task.operation, ledger.state.settings)) {
    await askApproval(id, driver);
    return;
  }
  ledger.record({ type: 'task_started', data: { task: id, attempt, key, ...args } });
  if (done !== undefined) {
    const message = textsOf(ledger.state).notAgain(task.task.operation, done.task.id);
    const failure = { kind: 'plan_error' as const, message };
    ledger.record({ type: 'task_failed', data: { task: id, attempt, failure, ms: 0 } });
    return;
  }
  const inputs = inputsOf(ledger.state, task);
  // What is sent is what the plan says, and only what is written down is sealed.
  const sent = filled.ok ? sealingOf(parts).open({ args: filled.args, inputs }) : undefined;
  if (!filled.ok || sent === undefined) {
    const message = filled.ok ? textsOf(ledger.state).secretGone : filled.message;
    const failure = { kind: 'invalid_args' as const, message };
    ledger.record({ type: 'task_failed', data: { task: id, attempt, failure, ms: 0 } });
    return;
  }
  calls.plan({
    operation: task.task.operation,
    args: sent.args,
    key,
    task: id,
    attempt,
    userId: ledger.state.userId,
    timeout: task.task.timeout ?? ledger.state.settings.task.timeout,
    texts: textsOf(ledger.state),
    inputs: sent.inputs,
    ...(effectNow(task, driver) !== 'read' && { isFollowed: true }),
  });
}

/**
 * The task that has done already what this one turns out to do. What is written with its values was looked at when its
 * list was compiled; only now are the others known. What a person has approved is done.
 */
function doneNow(task: TaskState, args: JsonObject, state: RunState): TaskState | undefined {
  const isFree = task.attempts > 0 || task.approved !== undefined || task.coveredBy !== undefined;
  return isFree ? undefined : doneBefore(task, args, state);
}

function endHold(id: string, { ledger }: Driver): void {
  const attempt = ledger.state.tasks.get(id)?.attempts ?? 1;
  ledger.record({ type: 'hold_ended', data: { task: id, attempt } });
}

/** What was approved is another call, or the tool does more to the world by now than when its plan was accepted. */
function mustAskAgain(task: TaskState, args: JsonObject, driver: Driver): boolean {
  const { operation } = task.task;
  if (task.approved !== undefined) return task.approved !== callDigest(operation, args);
  const effect = effectNow(task, driver);
  return effect !== task.effect && asksFirst({ operation, effect }, driver.ledger.state.settings);
}

/** The effect that was accepted with the plan, unless the tool says a worse one by now. */
function effectNow({ task, effect }: TaskState, { parts }: Driver): Effect {
  const now = parts.toolbox.tools().get(task.operation)?.effect ?? effect;
  return isWorse(now, effect) ? now : effect;
}

type Filled = { ok: true; args: JsonObject } | { ok: false; message: string };

/** A list of a thousand wrong rows is told by its first ones. */
const MOST_ISSUES = 10;

/** The real value is checked against the schema again: only now is it known. */
async function fillIn(task: TaskState, { ledger, parts, results }: Driver): Promise<Filled> {
  const written = task.override ?? task.task.args;
  const refs = refsIn(written);
  const injected = await fillArgs(written, { state: ledger.state, results });
  if (!injected.ok) {
    return {
      ok: false,
      message: injected.problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    };
  }
  const sealing = sealingOf(parts);
  const args = sealing.conceal(injected.args);
  if (!ledger.state.isSealed && holdsRedacted(args))
    return { ok: false, message: textsOf(ledger.state).secretGone };
  const tool = parts.toolbox.tools().get(task.task.operation);
  const isAsCompiled = refs.length === 0 && task.override === undefined;
  if (isAsCompiled || tool === undefined) return { ok: true, args };
  const issues = checkOpened(parts.check, sealing)(tool.inputSchema, args);
  if (issues.length === 0) return { ok: true, args };
  const from = refs.map(({ ref, path }) => `${path.join('.')} from ${writeRef(ref)}`).join(', ');
  const what = issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`)
    .join('; ');
  return {
    ok: false,
    message: textsOf(ledger.state).notFitting(tool.name, `${what} (${from})`),
  };
}

async function askApproval(id: string, driver: Driver): Promise<void> {
  const { ledger } = driver;
  const task = ledger.state.tasks.get(id);
  if (task === undefined) return;
  const filled = await fillIn(task, driver);
  // A person is not asked about a call that cannot be made; starting it says why, as soon as there is room for it.
  if (!filled.ok) {
    const { indexes, settings } = ledger.state;
    return indexes.running.size < settings.concurrency ? startTask(id, driver) : undefined;
  }
  const { args } = filled;
  const { operation } = task.task;
  const effect = effectNow(task, driver);
  const done = doneBefore(task, args, ledger.state);
  const texts = textsOf(ledger.state);
  ledger.record({
    type: 'question_asked',
    data: {
      question: {
        id: nextQuestion(ledger.state),
        kind: 'approval',
        text:
          done === undefined
            ? texts.mayCall(operation, effect)
            : texts.mayCallAgain(operation, effect, done.task.id),
        context: {
          operation,
          args,
          effect,
          ...(task.task.reasoning && { reasoning: task.task.reasoning }),
          ...(ledger.state.estimate && { plan: ledger.state.estimate as JsonObject }),
        },
        options: [
          { label: texts.approve, value: 'approve' },
          { label: texts.reject, value: 'reject' },
        ],
        task: id,
        digest: callDigest(operation, args),
      },
    },
  });
}

async function finish(ending: Ending, { ledger, results }: Driver): Promise<void> {
  ledger.record({ type: 'run_finished', data: await finished(ending, { state: ledger.state, results }) });
}

interface Found {
  readonly state: RunState;
  readonly results: Results;
}

async function finished(
  { outcome, answer, failure, missing, limit }: Ending,
  { state, results }: Found,
): Promise<FactOf<'run_finished'>['data']> {
  const text = answer === undefined ? undefined : await answerText(answer, { state, results });
  const word = wordFor(state);
  return {
    outcome,
    answer: text ?? partialAnswer(state, (task) => results.text(state, task)),
    ...(failure && { failure: 'message' in failure ? failure : toFailure(failure, word) }),
    ...(missing && missing.length > 0 && { missing: missing.map(word), undone: [...missing] }),
    ...(limit && { limit }),
  };
}

/** Undefined where a Ref in it cannot be filled: nobody is to read a raw one. */
export async function answerText(answer: JsonObject, { state, results }: Found): Promise<string | undefined> {
  const injected = await fillArgs(answer, { state, results });
  if (!injected.ok && namesTask(answer, state)) return undefined;
  const { text } = injected.ok ? injected.args : answer;
  return typeof text === 'string' ? text : stringifyJson(text ?? null);
}

/** A text that speaks of ${HOME} refers to nothing of ours, and is meant as it stands. */
function namesTask(answer: JsonObject, { tasks }: RunState): boolean {
  const names = stringifyJson(answer).matchAll(/\$\{\s*([A-Za-z_][\w-]*)/g);
  return names.some(([, name = '']) => tasks.has(name));
}

function applyAnswer(id: string, { ledger }: Driver): void {
  const data = appliedAnswer(ledger.state, id, wordFor(ledger.state));
  if (data !== undefined) ledger.record({ type: 'answer_applied', data });
}

/** Proposes what a person chose in place of a task; it is compiled like any other plan. */
function replaceTask(id: string, { ledger }: Driver): void {
  const { state } = ledger;
  const task = state.tasks.get(id);
  if (task === undefined) return;
  const change = replacementFor(state, task);
  const choice = change.tasks.map(({ operation }) => operation).join(', ');
  const reason = runTexts(state).replaced(task.task.operation, choice);
  ledger.record({ type: 'plan_revised', data: { version: state.planVersion + 1, ...change, reason } });
}

/**
 * What a call of the model can take at most is set aside before it is made, so that no limit is found out only when it
 * is broken. Undefined where it fits.
 */
async function tooDear(
  thought: Omit<Thought, 'signal'>,
  mind: Mind,
): Promise<FactOf<'limit_reached'>['data'] | undefined> {
  const { limits } = thought.state.settings;
  if (mind.weigh === undefined || (limits.tokens === undefined && limits.cost === undefined))
    return undefined;
  const { tokens, cost = 0 } = await mind.weigh(thought);
  const tokensLeft = (limits.tokens ?? Number.POSITIVE_INFINITY) - tokensUsed(thought.state);
  if (tokens > tokensLeft) return { limit: 'tokens', needed: tokens, left: tokensLeft };
  const costLeft = (limits.cost ?? Number.POSITIVE_INFINITY) - (thought.state.usage.cost ?? 0);
  return cost > costLeft ? { limit: 'cost', needed: cost, left: costLeft } : undefined;
}
