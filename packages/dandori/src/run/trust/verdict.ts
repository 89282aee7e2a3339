import {
  asObject,
  asText,
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  sameJson,
  stringifyJson,
  valueAt,
} from '../../model/json.ts';
import { isOwnTool } from '../../model/own-tools.ts';
import { isStep, type Ref } from '../../model/task.ts';
import { clip } from '../../model/text.ts';
import type { Tool } from '../../model/tool.ts';
import { fillRefs } from '../../plan/fill-refs.ts';
import { isNumeric } from '../../plan/query-functions.ts';
import { leavesOf } from '../approval-policy.ts';
import { isOwnName, isRefused, isTrustedResult } from '../state/orders.ts';
import { wasRejected } from '../state/questions.ts';
import type { OpenQuestion, RunState, TaskState } from '../state/state.ts';
import { aimsOf, isWayOut, mayReachOut } from './aim.ts';
import { hasWhole, hostIn, sentenceIn } from './find-value.ts';
import { isOrderedUpTo, lineageOf, readBy, refsOf } from './lineage.ts';
import { isPermitted } from './permission.ts';
import { isFor, isLowBandwidth, isOf, ruleFor, strangersIn } from './rules.ts';
import { isLongText, selects } from './selection.ts';

/** Whether a call may be made without asking the user where its values come from. */
export type Verdict =
  /** No check is needed: a read that can't send data out, or a run without a policy. */
  | { readonly kind: 'free' }
  | { readonly kind: 'ordered' }
  | { readonly kind: 'permitted'; readonly permission: number }
  | { readonly kind: 'approved' }
  /** A rule of the configuration decides, by its position. */
  | { readonly kind: 'allowed' | 'denied'; readonly rule: number }
  /** The user has refused this call or all such calls of the tool, or did not answer while this one waited. */
  | { readonly kind: 'refused' }
  | Doubtful;

/**
 * `not_ordered`: the mind decided the call after it had read a stranger's text. `aimed`: the call is ordered,
 * but a value made from such text aims it.
 */
export interface Doubtful {
  readonly kind: 'doubtful';
  readonly because: 'not_ordered' | 'aimed';
  /** Searched for only if the user is asked: in a long run there are many results to search. */
  readonly values: () => readonly Origin[];
  /** The arguments that aim the call. The user can allow other calls that share them. */
  readonly pattern: JsonObject;
}

/** An argument, and where its value was found. */
export interface Origin {
  readonly argument: string;
  readonly value: string;
  /** The task whose result contains the value. Undefined if no result contains it. */
  readonly task?: string;
  readonly operation?: string;
  /** The text around the value. */
  readonly quote?: string;
  readonly isInGoal?: boolean;
}

interface Circumstances {
  readonly state: RunState;
  readonly tool: Tool;
  /** The result of a task, if it is at hand. */
  readonly resultOf: (task: string) => Json | undefined;
  readonly tools: ReadonlyMap<string, Tool>;
  /** SHA-256 of the call as it would be made. */
  readonly digest: () => string;
}

/**
 * Judges a call with its arguments filled in.
 *
 * V1  A call that changes something, or that can carry data out, runs without a question only if the user
 *     ordered it (`run/state/orders`), permitted it, or approved exactly this call.
 * V2  In an ordered call, a stranger's text may be content. It may aim the call only as a whole field of an ordered
 *     call's result, or as a number computed from such fields. Under `strict` it may not aim at all.
 * V3  What an ordered call waits for and reads is ordered too. Otherwise a stranger could choose what is
 *     sent, or drop the check before a payment.
 */
export function trustVerdict(task: TaskState, args: JsonObject, circumstances: Circumstances): Verdict {
  const { state, tool } = circumstances;
  const { trust } = state.settings;
  if (trust === undefined) return FREE;
  if (isOwnTool(tool) && tool.name !== 'plan.activate') {
    // A value from an announced `extract` may be used in the announced call.
    const permission =
      task.isOrdered || tool.name !== 'extract' ? -1 : permissionFor(task, args, circumstances);
    return permission < 0 ? FREE : { kind: 'permitted', permission };
  }
  const ruled = ruleFor(task, args, circumstances);
  if (ruled?.does === 'deny') return { kind: 'denied', rule: ruled.rule };
  if (ruled?.does === 'ask' && !isApproved(task, circumstances)) {
    const because = task.isOrdered ? 'aimed' : 'not_ordered';
    const pattern = patternOf(args, circumstances);
    const doubt: Doubtful = { kind: 'doubtful', because, values: () => ruled.values, pattern };
    return hasSaidNo(task, args, circumstances) ? REFUSED : doubt;
  }
  const isHarmless = tool.effect === 'read' && task.effect === 'read' && !isWayOut(tool, args);
  if (task.isOrdered) {
    if (isHarmless) return FREE;
    const doubt = doubtAbout(task, args, circumstances);
    if (doubt === undefined) return { kind: 'ordered' };
    if (isApproved(task, circumstances)) return { kind: 'approved' };
    return hasSaidNo(task, args, circumstances) ? REFUSED : doubt;
  }
  const permission = permissionFor(task, args, circumstances);
  if (permission >= 0) return { kind: 'permitted', permission };
  if (isHarmless && !(trust.policy === 'strict' && mayReachOut(tool, args))) return FREE;
  if (isApproved(task, circumstances)) return { kind: 'approved' };
  if (ruled?.does === 'allow') return { kind: 'allowed', rule: ruled.rule };
  return hasSaidNo(task, args, circumstances) ? REFUSED : notOrdered(task, args, circumstances);
}

const FREE: Verdict = { kind: 'free' };
const REFUSED: Verdict = { kind: 'refused' };

/** The position of the permission for the call, or -1. */
function permissionFor(task: TaskState, args: JsonObject, known: Circumstances): number {
  const { permissions } = known.state.orders;
  return permissions.findIndex((permission) => isPermitted(task, args, { permission, known }));
}

function isApproved({ approved }: TaskState, { digest }: Circumstances): boolean {
  return approved !== undefined && approved === digest();
}

/** Whether the user has already said no to the call. */
function hasSaidNo(task: TaskState, args: JsonObject, { state, tool }: Circumstances): boolean {
  if (state.settings.trust?.policy === 'observe') return false;
  return isRefused(state, task) || wasRejected(state, tool.name, args);
}

function notOrdered(task: TaskState, args: JsonObject, circumstances: Circumstances): Doubtful {
  const changed = task.override === undefined ? [] : changedArgs(task, args, circumstances.resultOf);
  const values = () =>
    Object.entries(args).flatMap(([name, value]) =>
      // A choice or a preview of the tool has set it.
      changed.includes(name)
        ? [{ argument: name, value: shownValue(value), operation: circumstances.tool.name }]
        : originsOf(name, value, circumstances),
    );
  return { kind: 'doubtful', because: 'not_ordered', values, pattern: patternOf(args, circumstances) };
}

function patternOf(args: JsonObject, { state, tool }: Circumstances): JsonObject {
  const aims = aimsOf(tool, args, state.settings.trust?.aims);
  return Object.fromEntries(aims.map((name) => [name, args[name] ?? null]));
}

/** Why an ordered call must be asked about. */
function doubtAbout(task: TaskState, args: JsonObject, circumstances: Circumstances): Doubtful | undefined {
  const { state } = circumstances;
  if (!isOrderedUpTo(state, task)) return notOrdered(task, args, circumstances);
  const values = aimedBy(task, args, circumstances);
  if (values.length === 0) return undefined;
  return {
    kind: 'doubtful',
    because: 'aimed',
    values: () => values,
    pattern: patternOf(args, circumstances),
  };
}

/** The arguments of an ordered call that hold a stranger's text in a way that V2 or V3 forbids. */
function aimedBy(task: TaskState, args: JsonObject, circumstances: Circumstances): Origin[] {
  const { state, tool, resultOf } = circumstances;
  const refs = refsOf(task.task.args);
  if (refs.length === 0 && task.override === undefined) return [];
  const aims = new Set(aimsOf(tool, args, state.settings.trust?.aims));
  const changed = task.override === undefined ? [] : changedArgs(task, args, resultOf);
  const chosen = changed.filter((name) => isChosen(name, task, { args, circumstances }));
  // If a trusted tool changes an argument in its preview, the new value is as trustworthy as the old one.
  const unseen = tool.trusted ? [] : changed.filter((name) => aims.has(name) && !chosen.includes(name));
  const wrong = refs.filter(({ ref, path, whole }) => {
    const name = String(path[0]);
    if (chosen.includes(name) || unseen.includes(name)) return false;
    const { isOrdered, isTrusted } = lineageOf(state, ref.task);
    if (!isOrdered) return true;
    if (isTrusted || !aims.has(name)) return false;
    const value = (valueAt(args, path) ?? null) as Json;
    return !mayAim({ value, ref, name, isWhole: whole }, circumstances);
  });
  const names = new Set([...unseen, ...wrong.map(({ path }) => String(path[0]))]);
  return [...names].map((name) => {
    const { ref } = wrong.find(({ path }) => path[0] === name) ?? {};
    const operation = ref === undefined ? tool.name : state.tasks.get(ref.task)?.task.operation;
    const value = shownValue(args[name] ?? null);
    return { argument: name, value, ...(ref && { task: ref.task }), ...(operation && { operation }) };
  });
}

interface Aiming {
  readonly value: Json;
  readonly ref: Ref;
  /** The argument. */
  readonly name: string;
  /** The Ref is the whole value, and not a part of a text. */
  readonly isWhole: boolean;
}

/** Whether a value that a stranger wrote may aim an ordered call. */
function mayAim({ value, ref, name, isWhole }: Aiming, circumstances: Circumstances): boolean {
  const { state, tool } = circumstances;
  const isStrict = state.settings.trust?.policy === 'strict';
  const source = state.tasks.get(ref.task);
  // The result of a step was composed by the mind, and the result of an own tool is derived from another result.
  const isField = source !== undefined && !isStep(source.task) && !isOwnName(source.task.operation);
  if (!isStrict && isField && isWhole && isFieldValue(value, ref)) return true;
  if (isEndorsed(value, name, circumstances) || isAllowedAim(ref, name, circumstances)) return true;
  if (isLowBandwidth(ref, state)) return true;
  if (isStrict && isField && isWhole && isKey(ref, value) && isOwnKey(ref.task, circumstances)) return true;
  return tool.effect === 'read' && isQuoted(value, ref.task, circumstances);
}

/**
 * Whether the value is a field of the result, or a number. The expression was ordered, so a stranger can do no more
 * with the number than with a field.
 */
function isFieldValue(value: Json, ref: Ref): boolean {
  return isNumeric(value) || (selects(ref) && !isLongText(value));
}

const KEY_NAME = /(?:^|[._\]])(?:id|ids|uuid|guid)_?(?:\[\d*\])?$/i;
const KEY = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether the Ref selects a key such as `files[0].id`, which says nothing in itself. */
function isKey({ path }: Ref, value: Json): boolean {
  const items = itemsOf(value);
  const isToken = (one: Json) => typeof one === 'number' || (typeof one === 'string' && KEY.test(one));
  return KEY_NAME.test(path) && items.length > 0 && items.every(isToken);
}

/**
 * Whether a system gave out the keys in this result because the user asked for them. Then no stranger chose the
 * arguments, and nothing was read from outside. Under `strict` such a key may aim a call that can be undone.
 */
function isOwnKey(id: string, { state, tool, tools }: Circumstances): boolean {
  const source = state.tasks.get(id);
  const from = source && tools.get(source.task.operation);
  if (source === undefined || from === undefined || tool.effect === 'destructive') return false;
  if (isWayOut(from) || isWayOut(from, source.sent ?? source.task.args)) return false;
  return readBy(source.task).every((one) => lineageOf(state, one).isTrusted) && !source.isPermitted;
}

/** Whether a rule allows values of this source in this argument. */
function isAllowedAim({ task: id }: Ref, name: string, { state, tool }: Circumstances): boolean {
  const { rules = [] } = state.settings.trust ?? {};
  if (rules.length === 0) return false;
  const target = `${tool.name}.${name}`;
  const strangers = strangersIn(state, id);
  const isAllowed = (operation: string) =>
    rules.some((rule) => rule.do === 'allow' && isFor(rule, target) && isOf(rule, operation));
  return strangers.length > 0 && strangers.every(isAllowed);
}

/** The arguments that a choice or a preview has changed. */
function changedArgs(task: TaskState, args: JsonObject, resultOf: Circumstances['resultOf']): string[] {
  const written = fillRefs(task.task.args, resultOf);
  const before: JsonObject = written.ok ? written.args : {};
  return Object.keys(args).filter(
    (name) => canonicalJson(args[name] ?? null) !== canonicalJson(before[name] ?? null),
  );
}

/**
 * Whether the user chose the new value: typed it into a form, or chose the option that sets it. A tool that is
 * not trusted must have shown the value in the label. A default that was used because the time was up does not count:
 * no user has seen it.
 */
function isChosen(
  name: string,
  { task }: TaskState,
  { args, circumstances: { state, tool } }: { args: JsonObject; circumstances: Circumstances },
): boolean {
  const leaves = leavesOf(args[name] ?? null);
  const answered = [...state.questions.values()].filter(
    ({ question, answer }) =>
      question.task === task.id && question.kind === 'ambiguity' && answer !== undefined,
  );
  const { question, answer } = answered.findLast((one) => Object.hasOwn(changeBy(one), name)) ?? {};
  if (question === undefined || answer === undefined || answer.isExpired === true) return false;
  if (tool.trusted || question.options === undefined) return true;
  const { label = '' } = question.options.find(({ value }) => sameJson(value, answer.value)) ?? {};
  return leaves.every((leaf) => isShownIn(label, leaf));
}

/** The arguments that the answer to a choice sets. */
function changeBy({ question: { options }, answer }: OpenQuestion): JsonObject {
  const value = answer?.value ?? null;
  if (options === undefined) return asObject(value);
  return options.find((one) => sameJson(one.value, value))?.args ?? {};
}

/** Whether a label shows the value as words of its own: `13` is not shown in `2013`. */
function isShownIn(label: string, leaf: string): boolean {
  const wanted = leaf.normalize('NFKC').trim();
  if (wanted === '') return false;
  const text = label.normalize('NFKC');
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1))
    if (!/[\p{L}\p{N}]$/u.test(text.slice(0, at)) && !/^[\p{L}\p{N}]/u.test(text.slice(at + wanted.length)))
      return true;
  return false;
}

/**
 * Whether the user has seen and approved these values in the same argument of another call of the tool. A short
 * value endorses nothing, because it may be there by chance. Neither does a standing approval, because the user
 * did not see the call.
 */
function isEndorsed(value: Json, argument: string, { state: { questions }, tool }: Circumstances): boolean {
  if (questions.size === 0) return false;
  const approved = new Set<string>();
  for (const { question, answer } of questions.values()) {
    const isYes = answer?.declined !== true && String(answer?.value).startsWith('approve');
    const { context } = question;
    if (question.kind !== 'approval' || !isYes || !isObject(context) || !isObject(context.args)) continue;
    if (context.operation !== tool.name) continue;
    for (const one of itemsOf(context.args[argument] ?? null)) approved.add(canonicalJson(one));
  }
  const items = itemsOf(value);
  return (
    items.length > 0 &&
    items.every((one) => approved.has(canonicalJson(one)) && leavesOf(one).every(isTelling))
  );
}

function itemsOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [value];
}

/** Whether a value is long enough to mean one thing. */
function isTelling(value: string): boolean {
  return value.length >= 4 && /\p{L}/u.test(value);
}

/**
 * Whether the value of a read stands as it is in what ordered calls returned. An address that a stranger wrote
 * down before the run read anything can carry no data of the user.
 */
function isQuoted(value: Json, source: string, { state, resultOf }: Circumstances): boolean {
  const { task } = state.tasks.get(source) ?? {};
  const sources = [source, ...(task === undefined ? [] : readBy(task))].filter(
    (id) => state.tasks.get(id)?.isOrdered === true && !isOwnName(state.tasks.get(id)?.task.operation ?? ''),
  );
  const texts = sources.map((id) => stringifyJson(resultOf(id) ?? null));
  return leavesOf(value).every((leaf) => texts.some((text) => text.includes(leaf)));
}

/** Where the values of an argument were found: in the goal, or in what the run has read. */
export function originsOf(
  argument: string,
  value: Json,
  { state, resultOf }: Pick<Circumstances, 'state' | 'resultOf'>,
): Origin[] {
  const text = asText(value);
  const about = {
    argument,
    value: shownValue(value),
    ...(isGoalOfUser(state) && isInWords(state.goal, text) && { isInGoal: true }),
  };
  for (const { task } of state.ends) {
    if (task.result === undefined || isTrustedResult(state, task)) continue;
    const read = resultOf(task.task.id) ?? null;
    // A stranger's host in an address that the model put together is the stranger's too.
    const quote = sentenceIn(read, text) ?? sentenceIn(read, hostIn(text) ?? '');
    if (quote !== undefined) return [{ ...about, task: task.task.id, operation: task.task.operation, quote }];
  }
  return [about];
}

/**
 * A stranger's text may be in a goal that a run suggested, and in that of a sub-goal. Such a sub-goal starts as a run
 * that has read it.
 */
function isGoalOfUser({ isSuggested, parent, orders: { strangersSince } }: RunState): boolean {
  return !isSuggested && (parent === undefined || strangersSince !== FIRST_EVENT);
}

const FIRST_EVENT = 1;

/** Whether the goal has the value, and not as a part of another one: 13 is not in 2013. */
function isInWords(goal: string, text: string): boolean {
  return hasWhole(goal, text) && (isTelling(text) || isShownIn(goal, text));
}

const LONGEST_SHOWN = 300;

function shownValue(value: Json): string {
  return clip(asText(value), LONGEST_SHOWN);
}
