import * as z from 'zod';
import type { Thinking } from '../mind/index.ts';
import { type Usage, usage as usageShape } from '../model/decision.ts';
import type { Fact, FactOf } from '../model/event.ts';
import { failure as failureShape, type Message, toFailure, toMessage } from '../model/failure.ts';
import { isNormal, isObject } from '../model/json.ts';
import { type Action, task as actionShape } from '../model/task.ts';
import { issueText } from '../model/tool.ts';
import { looksBack, proposal } from '../run/actions/facts.ts';
import { outputProblem } from '../run/actions/output.ts';
import { changesPlan, type ParsedActions } from '../run/actions/parse-actions.ts';
import { unmetCriteria } from '../run/criteria.ts';
import { lastDecision, type RunState } from '../run/state/state.ts';
import { driverTexts, runTexts } from '../views/texts/of-run.ts';
import { wordFor } from '../views/texts/said.ts';
import type { Mail } from './mailbox.ts';
import type { Driver } from './perform.ts';

/** Turns a thought into facts: the decision, the reflection, the plan and the questions. */
export function thoughtEnded(
  { decision, thinking, ms }: Mail & { type: 'thought_ended' },
  { ledger, parts, readAhead }: Driver,
): void {
  const { state } = ledger;
  if (state.thinking?.decision !== decision) return;
  const problem = brokenPart(thinking);
  if (problem !== undefined) {
    const cause = { kind: 'model_error', code: 'mind_broke_contract', params: { problem } } as const;
    const failure = toFailure(cause, wordFor(state));
    const usage = usageShape.safeParse(thinking.usage).data;
    ledger.record({ type: 'decision_failed', data: { decision, failure, usage, ms } });
    return;
  }
  if (thinking.kind === 'failed') {
    const { failure, model, next, usage } = thinking;
    ledger.record({ type: 'decision_failed', data: { decision, failure, model, next, usage, ms } });
    return;
  }
  const taken = readAhead.parse(decision, thinking.actions);
  const tools = parts.toolbox.tools();
  const reason = taken.problem ?? outputProblem(taken, { state, check: parts.check, tools });
  const useless = reason === undefined ? uselessness(taken, state) : unusable(reason, state);
  if (useless !== undefined) {
    const failure = { kind: 'unusable_output' as const, ...useless };
    const { model, usage } = thinking;
    ledger.record({ type: 'decision_failed', data: { decision, failure, model, usage, ms } });
    return;
  }
  ledger.record(...decidedFacts(thinking, { decision, ms, taken, state }));
}

const text = z.string().optional();
const said = { reasoning: text, repaired: text, model: text, next: text, usage: usageShape.optional() };
const thinkingShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('decided'), ...said }),
  z.object({ kind: z.literal('failed'), failure: failureShape, ...said }),
]);

/** A mind may be third-party code. What it says is checked here, because the journal could not be read again. */
function brokenPart(thinking: Thinking): string | undefined {
  if (!isPlainThinking(thinking)) {
    const [issue] = thinkingShape.safeParse(thinking).error?.issues ?? [];
    if (issue !== undefined) return issueText({ path: issue.path.map(String), message: issue.message });
  }
  return thinking.kind === 'decided' ? brokenAction(thinking.actions) : undefined;
}

/** Most decisions are like this, and the schema takes longer to say so. */
function isPlainThinking(thinking: Thinking): boolean {
  if (thinking.kind !== 'decided') return false;
  const { reasoning = '', model = '', repaired, usage = NONE } = thinking;
  if (!isObject(usage)) return false;
  const { inputTokens, outputTokens, cachedInputTokens = 0, cost = 0, estimated = false } = usage;
  return (
    typeof reasoning === 'string' &&
    typeof model === 'string' &&
    repaired === undefined &&
    [inputTokens, outputTokens, cachedInputTokens, cost].every(Number.isFinite) &&
    typeof estimated === 'boolean'
  );
}

/** The built-in planner uses no model. */
const NONE: Usage = { inputTokens: 0, outputTokens: 0 };

function brokenAction(actions: readonly Action[]): string | undefined {
  for (const [index, action] of actions.entries()) {
    if (isPlainAction(action)) continue;
    const [issue] = actionShape.safeParse(action).error?.issues ?? [];
    if (issue !== undefined) return `actions[${index}].${issue.path.join('.')} ${issue.message}`;
  }
  return undefined;
}

/** Most actions have an id, an operation and arguments and nothing else. */
function isPlainAction(action: Action): boolean {
  const { id, operation, args } = action;
  const isComplete = typeof id === 'string' && typeof operation === 'string' && isObject(args);
  return isComplete && Object.keys(action).length === 3 && isNormal(args);
}

interface Decided {
  readonly decision: number;
  readonly ms: number;
  readonly taken: ParsedActions;
  readonly state: RunState;
}

/** The facts to journal for a usable decision. */
export function decidedFacts(
  { actions, reasoning, repaired, model, usage }: Thinking & { kind: 'decided' },
  { decision, ms, taken, state }: Decided,
): Fact[] {
  const { operations, questions } = taken;
  const made: FactOf<'decision_made'>['data'] = { decision, reasoning, repaired, model, usage, ms };
  const facts: Fact[] = [{ type: 'decision_made', data: made }];
  if (operations.length > 0) made.operations = operations;
  if (isClosing(state)) return facts;
  // The journal keeps these actions too, because they cannot be rebuilt from the tasks that they produce.
  if (actions.some(changesPlan)) made.actions = [...actions];
  const reflection = looksBack(state, { taken, reasoning });
  if (reflection !== undefined) facts.push({ type: 'reflection_made', data: { decision, ...reflection } });
  facts.push(...planned(taken, state, reasoning), ...questions);
  return facts;
}

function planned(taken: ParsedActions, state: RunState, reasoning: string | undefined): Fact[] {
  const { tasks, outline, removes } = taken;
  const revision = taken.revision ?? impliedRevision(taken, state, reasoning);
  if (tasks.length === 0 && revision === undefined) return [];
  return [proposal({ version: state.planVersion + 1, by: 'mind', tasks, outline, removes, revision })];
}

/**
 * Tasks added because a success criterion is not met are a revision, even if the mind did not call it one. In
 * modes that plan everything at once, so are tasks added after a failure.
 */
function impliedRevision(
  { tasks }: ParsedActions,
  state: RunState,
  reasoning: string | undefined,
): ParsedActions['revision'] {
  const { settings, thinking } = state;
  const isWhole = settings.mode === 'planned' || settings.mode === 'hierarchical';
  const unmet = thinking?.brief?.unmet;
  const isImplied = unmet !== undefined || (isWhole && thinking?.brief?.reflect === 'error');
  if (!isImplied || tasks.length === 0) return undefined;
  return {
    reason: reasoning || impliedReason(unmet, state),
    changes: tasks.map(({ id }) => ({ kind: 'add' as const, task: id })),
  };
}

function impliedReason(unmet: readonly string[] | undefined, state: RunState): string {
  const texts = runTexts(state);
  return unmet === undefined ? texts.taskFailed : texts.unmet(unmet.join('; '));
}

function isClosing({ thinking }: RunState): boolean {
  return thinking?.purpose === 'answer' || thinking?.purpose === 'conclude';
}

function unusable(reason: string, state: RunState): Message {
  return toMessage({ code: 'decision_unusable', params: { reason } }, wordFor(state));
}

/** Why the decision cannot be used. The message is written for the mind. */
function uselessness(taken: ParsedActions, state: RunState): Message | undefined {
  const { operations, tasks, revision } = taken;
  const texts = driverTexts(state);
  const answer = operations.find(({ operation }) => operation === 'answer');
  if (isClosing(state))
    return answer === undefined ? { message: texts.noAnswer, code: 'no_answer' } : undefined;
  const hasEffect = operations.some(
    ({ operation }) => operation === 'answer' || operation === 'ask' || operation === 'plan.update_step',
  );
  if (!hasEffect && tasks.length === 0 && revision === undefined)
    return operations.length === 0
      ? { message: texts.noAction, code: 'no_action' }
      : { message: texts.noNext, code: 'no_next' };
  const isJudged =
    answer === undefined || answer.args.achieved === false || unmetCriteria(answer.args, state);
  // The mind is told once, because a weak model may forget it. The second time, the answer counts as not
  // having reached the goal.
  const wasTold = lastDecision(state)?.failure?.code === NOT_JUDGED;
  if (isJudged || tasks.length > 0 || wasTold) return undefined;
  return { message: TO_JUDGE, code: NOT_JUDGED };
}

const NOT_JUDGED = 'judge_criteria';
const TO_JUDGE =
  'The plan has success criteria. Give the answer again with "criteria": for each of them, in their order, {"met": true or false, "because": "…"}';
