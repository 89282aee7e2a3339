import { assertNever } from '../model/error.ts';
import type { FactOf } from '../model/event.ts';
import { asObject, isObject, type JsonObject, sameJson } from '../model/json.ts';
import { actsForUser } from '../model/own-tools.ts';
import type { AlsoAsked, TrustReason } from '../model/question.ts';
import { isStep } from '../model/task.ts';
import { clip, languageOf } from '../model/text.ts';
import { type Effect, effect as effectSchema, isWorse, type Tool } from '../model/tool.ts';
import { fillRefs } from '../plan/fill-refs.ts';
import { asksFirst } from '../run/approval-policy.ts';
import { mayPass } from '../run/monitor.ts';
import { doneBefore } from '../run/repeats.ts';
import { isTrustedSource } from '../run/state/orders.ts';
import { placeOf } from '../run/state/placement.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { withChoice } from '../run/state/task-state.ts';
import { flagsIn } from '../run/trust/instructions.ts';
import { similarTo } from '../run/trust/similar.ts';
import { type Doubtful, trustVerdict, type Verdict } from '../run/trust/verdict.ts';
import { checkOpened } from '../secrets/index.ts';
import { type CallOutcome, previewAnswer } from '../tools/index.ts';
import { driverTexts } from '../views/texts/of-run.ts';
import { wordFor } from '../views/texts/said.ts';
import type { Mail } from './mailbox.ts';
import type { Driver } from './perform.ts';
import {
  approvalQuestion,
  callDigest,
  choiceQuestion,
  formProblem,
  previewOf,
  stepQuestion,
} from './questions.ts';

/**
 * Gets the approval of a call.
 *
 * P1  Standing approvals are looked up for each call, so a revoked approval stops counting at once.
 * P2  A tool that has a preview is asked first. If the call is ambiguous, the user chooses before anything is
 *     approved, and the preview is made again with the choice.
 * P3  If the tool says in the preview that the call would fail, the task fails with that and nothing is asked.
 * P4  The approval is bound to the arguments that are shown. A preview of other arguments is not shown, and
 *     one that could not be made is left out.
 */
export async function askApproval(task: TaskState, args: JsonObject, driver: Driver): Promise<void> {
  if (task.previewing !== undefined) return;
  const { ledger, parts } = driver;
  if (isStep(task.task)) {
    ledger.record({ type: 'question_asked', data: { question: stepQuestion(task, args, ledger.state) } });
    return;
  }
  const { state } = ledger;
  const { id, operation } = task.task;
  const effect = effectNow(task, parts.toolbox.tools());
  const done = doneBefore(task, args, state);
  const digest = callDigest(operation, args);
  const verdict = judgeTrust(task, args, driver);
  const trust = asksAbout(verdict, state) ? verdict : undefined;
  const called = { operation, effect, digest, trust };
  const standing = done === undefined ? await standingFor(called, driver) : undefined;
  if (standing !== undefined) {
    ledger.record({ type: 'call_approved', data: { task: id, digest, ...standing } });
    return;
  }
  if (effect !== 'read' && isToPreview(task, args, driver)) {
    // Wait: when another preview ends, this one can start.
    if (state.indexes.previewing.size >= state.settings.concurrency) return;
    if (startPreview(task, args, driver)) return;
  }
  const canKeep = parts.approvals !== undefined;
  const alike = trust === undefined ? [] : similarTo(task, state);
  const similar = trust?.because === 'not_ordered' ? alike.length : 0;
  const also = trust === undefined ? [] : alsoAsked(alike, trust, driver);
  const found = trust === undefined ? [] : flagsIn(state, (one) => driver.results.get(state, one));
  const flags = found.length === 0 ? undefined : found;
  const tools = parts.toolbox.tools();
  const title = trust && tools.get(operation)?.title;
  const question = approvalQuestion(task, {
    args,
    effect,
    done,
    trust,
    trustMissing: trust === undefined ? [] : trustMissing(state, tools),
    title,
    flags,
    similar,
    also,
    canKeep,
    state,
  });
  ledger.record({ type: 'question_asked', data: { question } });
}

/** The tools that were called and that the developer can mark as trusted, so that this is not asked again. */
function trustMissing(state: RunState, tools: ReadonlyMap<string, Tool>): string[] {
  const called = [...state.tasks.values()].filter(({ attempts }) => attempts > 0);
  const names = new Set(called.map(({ task }) => task.operation));
  return [...names].filter((name) => tools.get(name)?.trustMissing === true && !isTrustedSource(state, name));
}

/** More calls are not read before they are allowed. */
const MOST_ALSO = 9;

/** The other calls that would be asked about for the same reason. Empty if one answer could not show all of them. */
function alsoAsked(alike: readonly TaskState[], { because }: Doubtful, driver: Driver): AlsoAsked[] {
  const { state } = driver.ledger;
  if (alike.length > MOST_ALSO) return [];
  return alike.flatMap((one) => {
    const { id, operation, args: written } = one.task;
    const filled = fillRefs(one.override ?? written, (task) => driver.results.get(state, task));
    if (!filled.ok || doneBefore(one, filled.args, state) !== undefined) return [];
    const verdict = judgeTrust(one, filled.args, driver);
    if (!asksAbout(verdict, state) || verdict.because !== because) return [];
    const trust = { because, values: [...verdict.values()] };
    return [{ task: id, args: filled.args, digest: callDigest(operation, filled.args), trust }];
  });
}

/**
 * Whether the call differs from the approved one, or the tool's effect is now worse than in the accepted
 * plan.
 */
export function mustAskAgain(
  task: TaskState,
  { args, effect }: { readonly args: JsonObject; readonly effect: Effect },
  { settings }: RunState,
): boolean {
  const { operation } = task.task;
  if (task.approved !== undefined) return task.approved !== callDigest(operation, args);
  return effect !== task.effect && asksFirst({ operation, effect }, settings);
}

/** The effect that was accepted with the plan, or the tool's current effect if that is worse. */
export function effectNow({ task, effect }: TaskState, tools: ReadonlyMap<string, Tool>): Effect {
  const now = tools.get(task.operation)?.effect ?? effect;
  return isWorse(now, effect) ? now : effect;
}

interface CallToApprove {
  readonly operation: string;
  readonly effect: Effect;
  readonly digest: string;
  /** Set if a stranger's text may have ordered or aimed the call. */
  readonly trust: Doubtful | undefined;
}

type StandingFact = Pick<FactOf<'call_approved'>['data'], 'question' | 'standing'>;

/**
 * An approval for the run, or one in the user's settings. It does not cover an effect that became worse. A doubtful
 * call needs an answer in this run that showed exactly this call, or its pattern. An approval for good was given
 * without a stranger's text in sight, so it does not count.
 */
async function standingFor(
  { operation, effect, digest, trust }: CallToApprove,
  { ledger, parts }: Driver,
): Promise<StandingFact | undefined> {
  if (actsForUser(operation)) return undefined;
  const { state } = ledger;
  const covers = (one: { readonly operation: string; readonly effect: Effect }) =>
    one.operation === operation && !isWorse(effect, one.effect);
  // All arguments that aim the call must be those of the pattern: one more could be another recipient.
  const fits = ({ args: pattern, digests }: RunState['allowed'][number]) => {
    if (digests !== undefined) return digests.includes(digest);
    return pattern === undefined
      ? trust === undefined
      : trust !== undefined && sameJson(trust.pattern, pattern);
  };
  const allowed = state.allowed.find((one) => covers(one) && fits(one));
  if (allowed !== undefined) return { question: allowed.question };
  if (trust !== undefined) return undefined;
  const kept = (await parts.approvals?.list(state.userId)) ?? [];
  const found = kept.find((one) => covers(one) && (one.digest ?? digest) === digest);
  return found && { standing: found.id };
}

/** If the user approved for good, writes it to the user's settings. Writing it twice is harmless. */
export async function keepApproval(id: string, { run, ledger, parts }: Driver): Promise<void> {
  const { question, answer } = ledger.state.questions.get(id) ?? {};
  const isCall = answer?.value === 'approve_call_always';
  if (question?.kind !== 'approval' || question.subGoal !== undefined || answer?.declined === true) return;
  if (!isCall && answer?.value !== 'approve_tool_always') return;
  const { operation, args, effect } = asObject(question.context);
  const known = effectSchema.safeParse(effect);
  if (typeof operation !== 'string' || !known.success || answer === undefined) return;
  await parts.approvals?.add({
    user: ledger.state.userId,
    operation,
    effect: known.data,
    ...(isCall && isObject(args) && { args, digest: question.digest }),
    at: answer.at,
    run,
    ...(answer.by !== undefined && { by: answer.by }),
  });
}

function isToPreview(task: TaskState, args: JsonObject, { parts }: Driver): boolean {
  const isPossible = parts.toolbox.tools().get(task.task.operation)?.preview === true;
  return isPossible && previewOf(task, args).args === undefined;
}

/** False if a secret in the arguments is no longer known. */
function startPreview(of: TaskState, args: JsonObject, { run, ledger, calls, sealing }: Driver): boolean {
  const { id, operation } = of.task;
  const { state } = ledger;
  const opened = sealing.open(args);
  if (opened === undefined) return false;
  ledger.record({ type: 'preview_started', data: { task: id, args } });
  calls.plan({
    instead: 'preview',
    preview: true,
    operation,
    args: opened,
    key: `${run}/${id}/preview`,
    task: id,
    attempt: of.attempts,
    userId: state.userId,
    language: languageOf(state),
    timeoutMs: state.settings.task.timeoutMs,
    word: wordFor(state),
  });
  return true;
}

export function previewEnded(mail: Mail & { type: 'preview_ended' }, driver: Driver): void {
  const { ledger, parts } = driver;
  const { task: id, outcome, ms } = mail;
  const task = ledger.state.tasks.get(id);
  if (task?.previewing === undefined) return;
  const args = task.previewing;
  const found = findingOf(outcome, task, driver);
  ledger.record({ type: 'preview_ended', data: { task: id, ...found, ms } });
  // If the task must wait for another task again, the preview is made later.
  if (outcome.kind !== 'ambiguous' || found.ambiguous !== true || task.status !== 'ready') return;
  const question = choiceQuestion(id, outcome, { state: ledger.state, check: parts.check, args });
  ledger.record({ type: 'question_asked', data: { question } });
}

type Finding = Omit<FactOf<'preview_ended'>['data'], 'task' | 'ms'>;

const LONGEST_SUMMARY = 1_000;
const LONGEST_DIFF = 20_000;

function findingOf(outcome: CallOutcome, task: TaskState, driver: Driver): Finding {
  const { ledger, parts } = driver;
  const texts = driverTexts(ledger.state);
  if (outcome.kind === 'ambiguous') {
    const problem = outcome.form && formProblem(outcome.form, parts.check);
    return problem === undefined ? { ambiguous: true } : { message: texts.formUnusable(problem) };
  }
  if (outcome.kind === 'failed') {
    const { failure } = outcome;
    // The tool's own word about this call. Otherwise the call may work although its preview did not.
    const isSaid = failure.kind === 'tool_error' && !mayPass(failure, ledger.state.settings);
    return isSaid ? { failure } : { message: failure.message };
  }
  // The driver stopped it. Another driver makes it again.
  if (outcome.kind === 'lost') return outcome.cause === 'cancelled' ? {} : { message: outcome.message };
  if (outcome.kind === 'input_wanted') return { message: texts.previewUnusable };
  const read = previewAnswer.safeParse(outcome.result);
  if (!read.success || read.data.summary.trim() === '') return { message: texts.previewUnusable };
  const { summary, diff, reversible, args: exact } = read.data;
  const pinned = exact === undefined ? undefined : pinnedArgs(task, exact, driver);
  if (pinned === 'unfit') return { message: texts.previewUnusable };
  return {
    preview: {
      summary: clip(summary.replaceAll(/\s+/g, ' ').trim(), LONGEST_SUMMARY),
      ...(diff !== undefined && diff !== '' && { diff: clip(diff, LONGEST_DIFF) }),
      ...(reversible !== undefined && { reversible }),
    },
    ...(pinned !== undefined && { args: pinned }),
  };
}

/**
 * The arguments after the preview made them exact. They must fit the tool's schema and use the same resource as
 * before.
 */
function pinnedArgs(
  task: TaskState,
  exact: JsonObject,
  { ledger, parts, sealing }: Driver,
): JsonObject | 'unfit' | undefined {
  const before = task.previewing ?? {};
  const args = { ...before, ...exact };
  if (sameJson(args, before)) return undefined;
  const schema = parts.toolbox.tools().get(task.task.operation)?.inputSchema ?? {};
  if (checkOpened(parts.check, sealing)(schema, args).length > 0) return 'unfit';
  const place = placeOf(ledger.state, task, withChoice(task, { args }));
  return 'overtaker' in place || place.waits.length > 0 ? 'unfit' : args;
}

/** Judges where the values of a call come from. */
export function judgeTrust(
  task: TaskState,
  args: JsonObject,
  { ledger: { state }, parts, results }: Pick<Driver, 'ledger' | 'parts' | 'results'>,
): Verdict {
  if (state.settings.trust === undefined) return { kind: 'free' };
  const tools = parts.toolbox.tools();
  const { operation } = task.task;
  if (isStep(task.task)) return { kind: 'free' };
  // Its server may be back before the call is sent.
  const tool = tools.get(operation) ?? missingTool(task, state);
  return trustVerdict(task, args, {
    state,
    tool,
    digest: () => callDigest(operation, args),
    tools,
    resultOf: (id) => results.get(state, id),
  });
}

/** As much of the tool as the run knows. */
function missingTool({ task: { operation: name }, effect }: TaskState, state: RunState): Tool {
  const trusted = isTrustedSource(state, name);
  return { name, server: name, description: '', inputSchema: {}, effect, trusted };
}

/** Whether the user is asked because of the verdict. */
export function asksAbout(verdict: Verdict, { settings }: RunState): verdict is Doubtful {
  return verdict.kind === 'doubtful' && settings.trust?.policy !== 'observe';
}

/** Why a call is made without a question about its values. */
export function trustReasonFor(verdict: Verdict, effect: Effect): TrustReason | undefined {
  switch (verdict.kind) {
    case 'free':
      return undefined;
    case 'ordered':
      return effect === 'read' ? { because: verdict.kind } : undefined;
    case 'approved':
      return { because: verdict.kind };
    case 'permitted':
      return { because: 'permitted', permission: verdict.permission };
    case 'allowed':
    case 'denied':
      return { because: verdict.kind, rule: verdict.rule };
    case 'refused':
      return { because: 'refused' };
    case 'doubtful':
      return { because: 'observed' };
    default:
      return assertNever(verdict);
  }
}
