import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { contextOf } from '../../model/settings.ts';
import { isStep } from '../../model/task.ts';
import { clip, withoutTag } from '../../model/text.ts';
import { type Decision, hasEnded, type RunState, type TaskState } from '../../run/state/state.ts';
import { shapeIn, sizeOf } from '../../views/result-digest.ts';
import { readPrompt } from '../prompts/read.ts';
import { failureReason, inTags } from './result-text.ts';
import { announce, type ToolsInput } from './tool-text.ts';
import type { Window } from './window.ts';

const LONGEST_ARGUMENTS = 120;
/** Values up to this length are kept in full. */
const SMALL_VALUE = 200;
const LONGEST_FAILURE = 300;
const LONGEST_OUTLINE = 4000;
const LONGEST_STEP = 300;
const MOST_FAILURES = 20;
/** Characters for result handles, per token that the prompt may have. */
const ROOM_FOR_RESULTS = 0.25;

const written = new WeakMap<readonly Decision[], { window: Window; text: string }>();

/**
 * Replaces the decisions before the window, without a model call. `result.read` returns anything that is
 * shortened here.
 *
 * K1  It describes them as of the decision that starts the window. So it stays the same until the window moves, also
 *     in another process. What ended later is in the window.
 * K2  It contains the outline of the plan, the user's answers and notes, open tasks, failures that no later
 *     call fixed, and a handle of every result.
 * K3  It is bounded: the newest results have a line each, older ones are grouped by operation.
 */
export function writeMemory(thought: ToolsInput, window: Window, answers: readonly string[]): string[] {
  if (window.from === 0) return [];
  const { decisions } = thought.state;
  const kept = written.get(decisions);
  if (kept?.window.from === window.from && kept.window.asOf === window.asOf) return [kept.text];
  const [steps, tasks] = tasksOf(thought.state, window);
  const text = compose(thought, { window, answers, steps, tasks });
  written.set(decisions, { window, text });
  return [text];
}

function endedBefore({ decisions, ends }: RunState, { from }: Window): (task: TaskState) => boolean {
  const until = decisions[from]?.startedSeq ?? Number.POSITIVE_INFINITY;
  const since = new Set(ends.filter(({ seq }) => seq > until).map(({ task }) => task));
  return (task) => hasEnded(task.status) && !since.has(task);
}

function tasksOf({ decisions, tasks }: RunState, { from }: Window): [steps: TaskState[], tasks: TaskState[]] {
  const all = acceptedIn(decisions, from).flatMap(({ proposed }) =>
    proposed.flatMap(({ id }) => tasks.get(id) ?? []),
  );
  return [all.filter(({ task }) => isStep(task)), all.filter(({ task }) => !isStep(task))];
}

function acceptedIn(decisions: readonly Decision[], from: number): readonly Decision[] {
  return decisions.slice(0, from).filter(({ diagnostics }) => diagnostics === undefined);
}

interface Past {
  readonly window: Window;
  readonly answers: readonly string[];
  readonly steps: readonly TaskState[];
  readonly tasks: readonly TaskState[];
}

function compose(thought: ToolsInput, { window, answers, steps, tasks }: Past): string {
  const { state } = thought;
  const { from, asOf } = window;
  const isFixed = fixedIn(state, asOf);
  const isOver = endedBefore(state, window);
  const ended = tasks.filter(isOver);
  const isMissing = (task: TaskState) =>
    (task.status === 'failed' || task.status === 'blocked') && !task.isSuperseded && !isFixed(task);
  const results = ended.filter(({ status }) => status === 'succeeded');
  return [
    `The first ${from} ${from === 1 ? 'turn' : 'turns'} of this conversation are left out here. What came of them is below; \`result.read\` gives any result in full.`,
    ...state.decisions.slice(0, from).flatMap(({ offer }) => announce(offer, thought)),
    ...tellPlan(acceptedIn(state.decisions, from), steps),
    ...answers,
    ...tellOpen(
      tasks.filter((task) => !isOver(task)),
      state,
    ),
    ...tellFailures([...steps, ...ended].filter(isMissing), state),
    ...tellResults(results, state),
  ].join('\n\n');
}

/** Whether the same call succeeded later, as known when the boundary moved. */
function fixedIn({ decisions, tasks }: RunState, asOf: number): (task: TaskState) => boolean {
  const succeeded = new Map<string, number>();
  for (const { proposed } of decisions.slice(0, asOf)) {
    for (const { id } of proposed) {
      const task = tasks.get(id);
      if (task?.status === 'succeeded') succeeded.set(callOf(task), task.order);
    }
  }
  return (task) => (succeeded.get(callOf(task)) ?? -1) > task.order;
}

function callOf({ task: { operation, args } }: TaskState): string {
  return `${operation} ${stringifyJson(args)}`;
}

/** The model's own outline. Progress is part of each decision's request. */
function tellPlan(decisions: readonly Decision[], steps: readonly TaskState[]): string[] {
  const made = decisions
    .flatMap(({ operations }) => operations)
    .filter(({ operation, args }) => operation === 'plan.propose' && Object.keys(args).length > 0);
  const proposals = made.map(({ args }) => clip(stringifyJson(args), LONGEST_OUTLINE));
  const lines = steps
    .filter(({ isSuperseded }) => !isSuperseded)
    .map(({ task: { id, args } }) => `- ${id} ${clip(stringifyJson(args), LONGEST_STEP)}`);
  if (proposals.length + lines.length === 0) return [];
  const isJudged = made.some(({ args }) => hasCriteria(args));
  return [['Your plan:', ...proposals, ...lines, ...(isJudged ? [readPrompt('criteria')] : [])].join('\n')];
}

/** Whether a proposed plan has criteria that the answer must judge. */
export function hasCriteria({ success_criteria: criteria }: JsonObject): boolean {
  return Array.isArray(criteria) && criteria.length > 0;
}

/** Tasks that had not ended. A question may quote a tool, so only its kind is shown. */
function tellOpen(tasks: readonly TaskState[], { questions }: RunState): string[] {
  if (tasks.length === 0) return [];
  const asked = new Map([...questions.values()].map(({ question }) => [question.task, question.kind]));
  const lines = tasks.map(({ task: { id, operation, args } }) => {
    const kind = asked.get(id);
    const why = kind === undefined ? 'not done yet' : `waits for the user (${kind})`;
    return `- ${id} ${operation} ${withoutTag('result', clip(stringifyJson(args), LONGEST_ARGUMENTS))}: ${why}`;
  });
  return [['Still open:', ...lines].join('\n')];
}

function tellFailures(failures: readonly TaskState[], state: RunState): string[] {
  if (failures.length === 0) return [];
  const earlier = failures.slice(0, -MOST_FAILURES);
  const lines = failures
    .slice(-MOST_FAILURES)
    .map((task) => line(task, clip(failureReason(task), LONGEST_FAILURE)));
  const groups = groupIds(earlier, state).map((group) => `- ${group}`);
  return [['Not done, and not made good since:', ...groups, ...lines].join('\n')];
}

function tellResults(results: readonly TaskState[], state: RunState): string[] {
  if (results.length === 0) return [];
  const room = contextOf(state.settings).tokens * ROOM_FOR_RESULTS;
  const lines: string[] = [];
  let used = 0;
  for (const task of results.toReversed()) {
    const told = line(task, shortValue(task));
    used += told.length;
    if (used > room) break;
    lines.unshift(told);
  }
  const groups = groupIds(results.slice(0, results.length - lines.length), state).map(
    (group) => `- ${group}`,
  );
  return [['Results:', ...groups, ...lines].join('\n')];
}

/** Everything from a tool is inside the tags, including field names. */
function line(task: TaskState, content: string): string {
  const { id, operation, args } = task.task;
  const size = task.result === undefined ? '' : ` (${sizeOf(task.result)})`;
  const call = withoutTag('result', clip(stringifyJson(task.sent ?? args), LONGEST_ARGUMENTS));
  return `- ${id} ${operation} ${call}${size} ${inTags(task, content)}`;
}

function shortValue({ result }: TaskState): string {
  if (result === undefined) return '';
  if ('value' in result) {
    const text = stringifyJson(result.value);
    if (text.length <= SMALL_VALUE) return text;
  }
  return `shape: ${shapeIn(result, SMALL_VALUE)}`;
}

/** Operations with their own line. */
const MOST_OPERATIONS = 30;
const LONGEST_IDS = 160;

/** Many tasks in a few lines, by operation: `files.read: t1–t37, t39 (38)`. */
export function groupIds(tasks: readonly TaskState[], { tasks: all }: Pick<RunState, 'tasks'>): string[] {
  const groups = Map.groupBy(tasks, ({ task }) => task.operation);
  const lines = [...groups].map(
    ([operation, own]) => `${operation}: ${rangesOf(own.map(({ task }) => task.id))} (${own.length})`,
  );
  if (lines.length <= MOST_OPERATIONS) return lines;
  const others = [...groups.values()].slice(MOST_OPERATIONS).flat();
  const ids = rangesOf(others.map(({ task }) => task.id));
  return [
    ...lines.slice(0, MOST_OPERATIONS),
    `${groups.size - MOST_OPERATIONS} other operations: ${ids} (${others.length} of ${all.size} actions)`,
  ];
}

function rangesOf(ids: readonly string[]): string {
  const ranges: { first: string; last: string }[] = [];
  for (const id of ids) {
    const range = ranges.at(-1);
    if (range !== undefined && isNext(range.last, id)) range.last = id;
    else ranges.push({ first: id, last: id });
  }
  const texts = ranges.map(({ first, last }) => (first === last ? first : `${first}–${last}`));
  const text = texts.join(', ');
  return text.length <= LONGEST_IDS ? text : `${texts[0]}, …, ${texts.at(-1)}`;
}

function isNext(one: string, other: string): boolean {
  const [, head, number] = /^(.*?)(\d+)$/.exec(one) ?? [];
  return head !== undefined && other === `${head}${Number(number) + 1}`;
}
