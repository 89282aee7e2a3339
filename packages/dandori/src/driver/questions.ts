import { createHash } from 'node:crypto';
import type { CheckedTask, Fact } from '../model/event.ts';
import { asText, canonicalJson, type Json, type JsonObject, normalise, sameJson } from '../model/json.ts';
import { actsForUser } from '../model/own-tools.ts';
import type { Diagnostic } from '../model/plan.ts';
import type { AlsoAsked, CallAbout, Option, PlanAbout, Question, TrustAbout } from '../model/question.ts';
import type { Settings } from '../model/settings.ts';
import { isStep, type Task } from '../model/task.ts';
import { clip } from '../model/text.ts';
import type { Effect, SchemaCheck } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { withShortLists } from '../plan/estimate.ts';
import { fits } from '../run/actions/question.ts';
import { planDiff } from '../run/drafts/edit.ts';
import type { Repeats } from '../run/repeats.ts';
import { finishedInnerCalls, type InnerCall, innerCallInDoubt } from '../run/state/inner-calls.ts';
import { nextQuestion } from '../run/state/questions.ts';
import { type Draft, hasEnded, type RunState, type TaskState } from '../run/state/state.ts';
import { stepNumber } from '../run/step-gate.ts';
import type { Flag } from '../run/trust/instructions.ts';
import type { Doubtful } from '../run/trust/verdict.ts';
import type { CallOutcome, InputRequest } from '../tools/index.ts';
import type { DriverTexts } from '../views/texts/en/driver.ts';
import { driverTexts } from '../views/texts/of-run.ts';

interface About {
  readonly compiled: Compiled & { ok: true };
  readonly notes: readonly string[];
  readonly problems?: readonly Diagnostic[] | undefined;
  /** Set if the question is about repeated calls. */
  readonly repeated?: Repeats | undefined;
  /** Where the values of a call come from. */
  readonly originOf: (task: Task) => TrustAbout | undefined;
  readonly state: RunState;
}

/** Asks for approval of a plan. The question holds the whole plan, so that it can be answered anywhere. */
export function planQuestion(
  draft: Draft,
  { compiled, notes, problems, repeated, originOf, state }: About,
): Fact {
  const { version, tasks, outline } = draft;
  const texts = driverTexts(state);
  const diff = planDiff(draft, state);
  const checked = new Map(compiled.tasks.map((task) => [task.id, task]));
  const context = {
    ...(outline?.objective !== undefined && { objective: outline.objective }),
    ...(outline?.reasoning !== undefined && { reasoning: outline.reasoning }),
    successCriteria: outline?.successCriteria,
    constraints: outline?.constraints,
    limits: tasks.some(isStep) ? limitsOf(state.settings) : undefined,
    plan: compiled.estimate(),
    tasks: tasks.map((task) => {
      const { effect = 'write', needs = [], waits = [] } = checked.get(task.id) ?? {};
      const waitsFor = [...new Set([...needs, ...waits])];
      const trust = originOf(task);
      return { ...task, effect, ...(waitsFor.length > 0 && { waitsFor }), ...(trust && { trust }) };
    }),
    ...(diff && { changes: diff }),
    ...(notes.length > 0 && { notes }),
    ...(problems && { problems }),
    ...(repeated && { repeats: repeated.calls.map(({ done }) => done.task.id) }),
  };
  return {
    type: 'question_asked',
    data: {
      question: {
        id: nextQuestion(state),
        kind: 'plan_approval',
        text: textOf(draft, repeated, texts),
        context: plain(context),
        options: [
          { label: texts.approve, value: 'approve' },
          { label: texts.reject, value: 'reject' },
        ],
        plan: version,
        digest: planDigest(draft, compiled.tasks),
      },
    },
  };
}

function limitsOf({ limits: { calls, tasks, time, cost } }: Settings): PlanAbout['limits'] {
  return { calls, tasks, time, ...(cost !== undefined && { cost }) };
}

function textOf({ tasks, revision }: Draft, repeated: Repeats | undefined, texts: DriverTexts): string {
  if (repeated !== undefined) {
    const names = new Set(repeated.calls.map(({ call }) => call.operation));
    return texts.mayRepeat([...names].join(', '));
  }
  return revision === undefined
    ? texts.mayCarryOut(tasks.length, tasks.every(isStep))
    : texts.mayChange(revision.reason);
}

interface Approval {
  /** Why the call is doubtful. */
  readonly trust: Doubtful | undefined;
  /** Tools of the program that were called and do not say whether they are trusted. */
  readonly trustMissing: readonly string[];
  /** What the server calls the tool, for a user who does not know it. */
  readonly title?: string | undefined;
  readonly args: JsonObject;
  readonly effect: Effect;
  /** The task that already made this exact call. */
  readonly done: TaskState | undefined;
  /** What was read that sounds like an instruction. */
  readonly flags: readonly Flag[] | undefined;
  /** How many other calls of the tool wait, because the user did not order them either. */
  readonly similar: number;
  /** Other calls of the tool that would be asked about for the same reason. */
  readonly also: readonly AlsoAsked[];
  /** Whether the user's settings can hold an approval for good. */
  readonly canKeep: boolean;
  readonly state: RunState;
}

/**
 * Asks for approval of one call. The arguments are always shown: what the tool says about its call is shown
 * beside them, and only if it is about exactly these arguments.
 */
export function approvalQuestion(of: TaskState, approval: Approval): Question {
  const { args, effect, done, trust, title, similar, also, canKeep, state } = approval;
  const { id, operation, reasoning } = of.task;
  const texts = driverTexts(state);
  const { preview, message } = previewOf(of, args);
  const isOften = done === undefined && trust === undefined && !actsForUser(operation);
  const pattern = trust?.pattern;
  return {
    id: nextQuestion(state),
    kind: 'approval',
    text: approvalText(of, { args, effect, done, summary: preview?.summary, title, texts }),
    context: plain({
      operation,
      args,
      effect,
      preview,
      previewFailed: message,
      ...(trust && { trust: trustAbout(trust, approval) }),
      ...(pattern && { pattern }),
      ...(similar > 0 && { similar }),
      ...(also.length > 0 && { also }),
      ...(trust && { planned: plannedBeside([id, ...also.map(({ task }) => task)], state) }),
      reasoning,
      plan: state.estimate && withShortLists(state.estimate),
    }),
    options: [
      { label: trust === undefined ? texts.approve : texts.allowOnce, value: 'approve' },
      { label: trust === undefined ? texts.reject : texts.refuse, value: 'reject' },
      ...(also.length > 0 ? [{ label: texts.allowListed(also.length + 1), value: 'approve_listed' }] : []),
      ...(pattern ? [{ label: patternLabel(pattern, texts), value: 'approve_pattern' }] : []),
      ...(similar > 0 ? [{ label: texts.refuseSimilar(similar + 1), value: 'reject_similar' }] : []),
      ...(trust ? [{ label: texts.stopRun, value: 'stop' }] : []),
      // A repeated or doubtful call is asked about each time, whatever was approved before.
      ...(isOften ? [{ label: texts.approveForRun, value: 'approve_for_run' }] : []),
      ...(isOften && canKeep
        ? [
            { label: texts.approveCallAlways, value: 'approve_call_always' },
            { label: texts.approveToolAlways, value: 'approve_tool_always' },
          ]
        : []),
    ],
    task: id,
    digest: callDigest(operation, args),
  };
}

const MOST_PLANNED = 20;

/** The calls that the run has planned besides these. Undefined if there are none. */
function plannedBeside(asked: readonly string[], { tasks }: RunState): CallAbout['planned'] {
  const others = [...tasks.values()].filter(
    ({ task, attempts, status }) =>
      attempts === 0 && !hasEnded(status) && !isStep(task) && !asked.includes(task.id),
  );
  const found = Map.groupBy(others, ({ task, effect }) => `${effect} ${task.operation}`);
  const planned = [...found.values()].slice(0, MOST_PLANNED).flatMap((same) => {
    const [one] = same;
    return one ? [{ operation: one.task.operation, effect: one.effect, calls: same.length }] : [];
  });
  return planned.length === 0 ? undefined : planned;
}

function trustAbout(
  { because, values }: Doubtful,
  { flags, trustMissing, state: { unseen } }: Approval,
): TrustAbout {
  return {
    because,
    values: [...values()],
    ...(flags && { flags: [...flags] }),
    ...(unseen.length > 0 && { unseen: [...unseen] }),
    ...(trustMissing.length > 0 && { trustMissing: [...trustMissing] }),
  };
}

const LONGEST_PATTERN = 120;

function patternLabel(pattern: JsonObject, texts: DriverTexts): string {
  const values = Object.entries(pattern).map(([name, value]) => `${name} = ${asText(value)}`);
  return values.length === 0
    ? texts.allowTool
    : texts.allowPattern(clip(values.join(', ').replaceAll(/\s+/g, ' '), LONGEST_PATTERN));
}

/** Asks whether to go on with a step. */
export function stepQuestion(step: TaskState, args: JsonObject, state: RunState): Question {
  const { id, operation, description = id } = step.task;
  const texts = driverTexts(state);
  return {
    id: nextQuestion(state),
    kind: 'approval',
    text: texts.mayGoOn(stepNumber(step, state), description),
    context: { step: id },
    options: [
      { label: texts.approve, value: 'approve' },
      { label: texts.reject, value: 'reject' },
    ],
    task: id,
    digest: callDigest(operation, args),
  };
}

interface ApprovalWords extends Pick<Approval, 'args' | 'effect' | 'done' | 'title'> {
  readonly summary: string | undefined;
  readonly texts: DriverTexts;
}

const LONGEST_TITLE = 80;

function approvalText(
  { task }: TaskState,
  { args, effect, done, summary, title, texts }: ApprovalWords,
): string {
  const { operation } = task;
  if (done !== undefined) return texts.mayCallAgain(operation, effect, done.task.id);
  const name =
    title === undefined || summary !== undefined
      ? operation
      : texts.titled(clip(title.replaceAll(/\s+/g, ' '), LONGEST_TITLE), operation);
  if (operation !== 'run.answer') return texts.mayCall(name, effect, summary);
  const { answer = null, declined } = args;
  return texts.mayAnswer(declined === true ? undefined : asText(answer));
}

export function previewOf(
  { previewed }: TaskState,
  args: JsonObject,
): Partial<NonNullable<TaskState['previewed']>> {
  return previewed !== undefined && sameJson(previewed.args, args) ? previewed : {};
}

interface Choosing {
  readonly state: RunState;
  readonly check: SchemaCheck;
  /** The arguments of the call, if it was not sent. */
  readonly args?: JsonObject;
}

/** A tool says that the call can mean several things. */
export function choiceQuestion(
  id: string,
  outcome: CallOutcome & { kind: 'ambiguous' },
  { state, check, args }: Choosing,
): Question {
  const task = state.tasks.get(id);
  const context = task && { operation: task.task.operation, args: args ?? task.sent ?? task.task.args };
  return {
    id: nextQuestion(state),
    kind: 'ambiguity',
    text: outcome.question,
    ...(outcome.form === undefined ? { options: [...outcome.options] } : { form: outcome.form }),
    ...(fits(outcome.default, outcome, check) && { default: outcome.default }),
    ...(context && { context }),
    task: id,
  };
}

/** The form's fields become arguments, so the answer must be an object. */
export function formProblem(form: JsonObject, check: SchemaCheck): string | undefined {
  if (form.type !== 'object' && form.properties === undefined) return 'type must be "object"';
  return check.problem?.(form);
}

/** A tool wants something from the user. */
export function inputQuestion(
  { task: { id, operation }, sent = {} }: TaskState,
  { text, form, url }: InputRequest,
  state: RunState,
): Question {
  const context: JsonObject = { operation, args: sent };
  const done = [{ label: driverTexts(state).done, value: 'done' }];
  return {
    id: nextQuestion(state),
    kind: 'elicitation',
    text,
    context,
    ...(form !== undefined && { form }),
    ...(url !== undefined && { url, options: done }),
    task: id,
  };
}

/** A call may have taken effect, and no probe has settled it. `problem`: why it could not be probed. */
export function doubtQuestion(of: TaskState, problem: string | undefined, state: RunState): Question {
  const { task, sent, effect, attempts, key, probed, doubt, startedAt } = of;
  const { id, operation, args } = task;
  const texts = driverTexts(state);
  const probe = problem ?? probed?.message;
  const done = finishedInnerCalls(of);
  const open = innerCallInDoubt(of);
  return {
    id: nextQuestion(state),
    kind: 'in_doubt',
    text: doubtText(operation, { done, open, texts, cause: doubt?.cause }),
    context: {
      operation,
      args: sent ?? args,
      effect,
      attempt: attempts,
      ...(key !== undefined && { key }),
      // If the call asked the user, `startedAt` was moved by the time of the wait and is not the real start.
      ...(startedAt !== undefined &&
        of.asking === undefined && { called: new Date(startedAt).toISOString() }),
      ...(doubt !== undefined && { cause: doubt.message ?? texts.causes[doubt.cause] }),
      ...(hasAsked(of) && { input: texts.hasAsked }),
      ...(probe !== undefined && { probe }),
      ...(done.length > 0 && { done: shownCalls(done) }),
      ...(open !== undefined && { open: { ...shownCall(open), key: open.key } }),
    },
    options: optionsFor({ done, open, texts }),
    task: id,
  };
}

/** Whether the call asked the user while it ran. It is unknown whether the call got the answer. */
function hasAsked({ asking, attempts }: TaskState): boolean {
  return asking !== undefined && asking.attempt === attempts && asking.call !== 'ended';
}

interface Known {
  /** Calls of the service that are done. */
  readonly done: readonly InnerCall[];
  /** The call of the service whose outcome is unknown. */
  readonly open: InnerCall | undefined;
  readonly texts: DriverTexts;
}

function doubtText(
  operation: string,
  { done, open, texts, cause }: Known & { readonly cause: keyof DriverTexts['causes'] | undefined },
): string {
  if (open !== undefined) return texts.isOpenInside(operation, done.length, open.operation);
  return done.length > 0
    ? texts.isDoneUpTo(operation, done.length)
    : texts.isDone(operation, cause === undefined ? '' : texts.causes[cause]);
}

/**
 * Every option must be possible. After an interruption midway, the user can keep the finished calls and
 * continue.
 */
function optionsFor({ done, open, texts }: Known): Option[] {
  const kept = done.length;
  const giveUp = { label: texts.giveUp, value: 'give_up' };
  if (open !== undefined)
    return [
      { label: texts.goOnAfter(open.operation), value: 'again_after' },
      { label: texts.callItAgain(open.operation, kept), value: 'again' },
      { label: texts.allDone, value: 'happened' },
      giveUp,
    ];
  if (kept > 0)
    return [
      { label: texts.goOnFrom(kept), value: 'again' },
      { label: texts.allDone, value: 'happened' },
      giveUp,
    ];
  return [{ label: texts.happened, value: 'happened' }, { label: texts.again, value: 'again' }, giveUp];
}

/** In a long list, the user looks for the last calls. */
const MOST_SHOWN = 20;

function shownCalls(calls: readonly InnerCall[]): JsonObject[] {
  return calls.slice(-MOST_SHOWN).map(shownCall);
}

function shownCall({ operation, args }: InnerCall): JsonObject {
  return { operation, args };
}

/** As the journal stores it: without undefined fields. */
function plain(value: object): JsonObject {
  return normalise(value) as JsonObject;
}

/** Approval is bound to exactly this call. */
export function callDigest(operation: string, args: JsonObject): string {
  return sha256([operation, args]);
}

/** Approval of a plan is bound to its tasks, their effects, and the tasks that it removes or supersedes. */
export function planDigest(
  { tasks, removes = [], revision }: Draft,
  checked: readonly Pick<CheckedTask, 'id' | 'effect'>[],
): string {
  const effects = checked.map(({ id, effect }) => [id, effect]);
  // Normalised, so that a missing field and an undefined field give the same digest.
  // A plan that waited for approval before 0.3 has the digest of the old name.
  const named = tasks.map(({ timeoutMs, ...task }) =>
    timeoutMs === undefined ? task : { ...task, timeout: timeoutMs },
  );
  const written = normalise(named);
  return sha256([written, effects, [...removes], [...(revision?.supersedes ?? [])]]);
}

function sha256(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

/** A question with the defaults of the run: when it expires and which users may answer it. */
export function withTerms(question: Question, { questions }: Settings, at: number): Question {
  const { expireAfter, answerers } = questions ?? {};
  return {
    ...(expireAfter !== undefined && { expiresAt: at + expireAfter }),
    ...(answerers !== undefined && { answerers }),
    ...question,
  };
}
