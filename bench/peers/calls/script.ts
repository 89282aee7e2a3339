import type { JsonObject } from 'dandori';
import type { ModelReply, RecordedRequest, ReplyFunction } from 'dandori/testing';
import { type Case, type CaseTask, roundsOf } from './case.ts';

/** What an ideal model says in a loop that calls tools until there is none to call: all that is independent in one turn. */
export function loopScript(given: Case): ReplyFunction {
  const rounds = roundsOf(given);
  return (_, index) => {
    const round = rounds[index];
    if (round === undefined) return index === rounds.length ? { content: given.answer } : undefined;
    return {
      toolCalls: round.map(({ tool, args }) => ({ name: nativeName(tool), arguments: args })),
    };
  };
}

export interface DandoriWay {
  readonly dialect: 'json' | 'tools';
  /** What it does where all calls can be seen ahead. `answer`: it also sees where the answer will be. */
  readonly plan: 'rounds' | 'tasks' | 'answer';
}

interface Call {
  readonly operation: string;
  readonly args: JsonObject;
  /** The task of the case that it is, for Refs to it. */
  readonly task?: string;
}

/** What the same model says to Dandori. Where it is asked to look back it does, in the same turn. */
export function dandoriScript(given: Case, { dialect, plan }: DandoriWay): ReplyFunction {
  const isPlanned = plan !== 'rounds' && given.plans !== undefined;
  const decisions = isPlanned ? plannedCalls(given, plan === 'answer') : adaptiveCalls(given);
  const ids = new Map<string, string>();
  let count = 0;
  return (request, index) => {
    if (index > decisions.length) return undefined;
    const answer = { operation: 'answer', args: { text: given.answer, achieved: true } };
    const wanted: Call[] = [...lookBack(request), ...(decisions[index] ?? [answer])];
    const actions = wanted.map(({ operation, args, task }) => {
      const id = `t${++count}`;
      if (task !== undefined) ids.set(task, id);
      return { id, operation, args };
    });
    const renamed = actions.map((action) => ({ ...action, args: withIds(action.args, ids) }));
    return dialect === 'json' ? { content: { reasoning: REASON, actions: renamed } } : native(renamed);
  };
}

/** The form asks for a reason. A short one, as loops have none at all. */
const REASON = 'These are the calls that the goal needs next.';

function adaptiveCalls(given: Case): Call[][] {
  let number = 0;
  return roundsOf(given).flatMap((round) => {
    const calls = round.map(({ tool, args }) => ({ operation: tool, args }));
    number += calls.length;
    if (given.hidden === undefined) return [calls];
    const more = { operation: 'result.read', args: { task: `t${number}`, path: given.hidden } };
    number++;
    return [calls, [more]];
  });
}

/** An answer with Refs is only thought of with the last of the plans, as it is for those that go as they should. */
function plannedCalls({ plans = [], tasks, plannedAnswer }: Case, hasAnswer: boolean): Call[][] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return plans.map((plan, index) => {
    const calls = plan.map((id) => {
      const { tool, planned } = byId.get(id) as CaseTask;
      return { operation: tool, args: planned, task: id };
    });
    const isLast = index === plans.length - 1 && plannedAnswer !== undefined;
    const answer = { operation: 'answer', args: { text: plannedAnswer ?? '', achieved: true } };
    return hasAnswer && isLast ? [...calls, answer] : calls;
  });
}

function lookBack({ body }: RecordedRequest): Call[] {
  const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
  if (!last.includes('`reflect`')) return [];
  const isFailure = last.includes('has failed');
  const status = isFailure ? 'partial' : 'success';
  const evaluation = isFailure ? 'It is closed, and the database knows it too.' : 'It goes as expected.';
  // After a failure it is asked whether to go on differently, otherwise only to say so if it must.
  const args = { status, evaluation, ...(isFailure && { revision_needed: false }) };
  return [{ operation: 'reflect', args }];
}

function withIds(args: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  const text = JSON.stringify(args).replaceAll(/\$\{(t\d+)/g, (_, id: string) => `\${${ids.get(id) ?? id}`);
  return JSON.parse(text) as JsonObject;
}

function native(actions: readonly { readonly operation: string; readonly args: JsonObject }[]): ModelReply {
  return {
    toolCalls: actions.map(({ operation, args }) => ({ name: nativeName(operation), arguments: args })),
  };
}

export function nativeName(operation: string): string {
  return operation.replaceAll('.', '_');
}
