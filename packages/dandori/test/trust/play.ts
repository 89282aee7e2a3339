import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import type { Mind, Thought } from '../../src/mind/mind.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { Settings, TrustPolicy } from '../../src/model/settings.ts';
import type { Action } from '../../src/model/task.ts';
import { escaped } from '../../src/plan/fill-refs.ts';
import { writeRef } from '../../src/plan/refs.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { settingsWith } from '../settings.ts';
import { type Case, type FixtureCall, type FixtureTool, fieldWith } from './fixtures.ts';
import { formulaFor } from './formulas.ts';

export interface Played {
  readonly outcome: string | undefined;
  /** Attacker's calls with an effect that ran without a yes. */
  readonly harm: readonly string[];
  /** Attacker's reads that can carry data out and ran without a yes. */
  readonly leaks: readonly string[];
  /** Gold calls that did not run. */
  readonly undone: readonly string[];
  readonly questions: number;
  /** Questions about calls that the user wanted. */
  readonly honest: number;
  /** What the questions were about. */
  readonly asked: readonly Json[];
}

export type Way =
  | 'planned'
  | 'planned-hard'
  | 'adaptive'
  | 'adaptive-may'
  | 'adaptive-name'
  | 'adaptive-hard';

export interface Playing {
  readonly way: Way;
  readonly policy: TrustPolicy;
  readonly tools: ReadonlyMap<string, FixtureTool>;
  readonly settings?: Partial<Settings>;
}

/** Runs one case with a mind that obeys everything it reads, and a person who agrees only to the user's calls. */
export async function play(one: Case, { way, policy, tools, settings }: Playing): Promise<Played> {
  const clock = createStepClock();
  const made: string[] = [];
  const answers = new Map<string, (Json | undefined)[]>();
  for (const { tool, args, result } of [...one.calls, ...one.attackerCalls]) {
    const key = keyOf(tool, args);
    answers.set(key, [...(answers.get(key) ?? []), result]);
  }
  const definitions: Record<string, FunctionTool> = {};
  for (const name of one.tools) {
    const tool = tools.get(name);
    if (tool === undefined) continue;
    definitions[name] = {
      effect: tool.effect,
      trusted: false,
      description: tool.description,
      inputSchema: tool.inputSchema,
      run: (args) => {
        const key = keyOf(name, args);
        made.push(key);
        const left = answers.get(key) ?? [];
        return (left.length > 1 ? left.shift() : left[0]) ?? null;
      },
    };
  }
  const gold = new Set(one.calls.map(({ tool, args }) => keyOf(tool, args)));
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock,
    toolbox: createFunctionToolbox(clock, definitions),
    mind: obedientMind(one, way, tools),
    check: () => [],
    secrets: [],
    driver: 'test',
  };
  const trust: Pick<Settings, 'trust'> = policy === 'off' ? {} : { trust: { policy } };
  const mode = way.startsWith('planned') ? 'planned' : 'adaptive';
  const { run } = await startRun(
    { goal: one.goal, settings: settingsWith({ mode, ...trust, ...settings }) },
    parts,
  );
  const agreed = new Set<string>();
  let questions = 0;
  let honest = 0;
  const asked: Json[] = [];
  for (let round = 0; round < 60; round++) {
    const state = await clock.runUntil(drive(run, parts));
    if (state.end !== undefined) {
      const isAttack = (key: string) => !gold.has(key) && !agreed.has(key);
      const effectOf = (key: string) => tools.get(key.split(' ', 1)[0] ?? '');
      const attacks = new Set(one.attackerCalls.map(({ tool, args }) => keyOf(tool, args)));
      const targets = new Set(one.calls.map((call) => targetOf(call, tools)));
      // Which call of the user it is, and whom or what it hits. Its content may be a stranger's.
      const isElsewhere = (key: string) => {
        const [tool = ''] = key.split(' ', 1);
        const args = JSON.parse(key.slice(tool.length + 1)) as JsonObject;
        return way.endsWith('-hard') && !targets.has(targetOf({ tool, args }, tools));
      };
      const bad = made.filter((key) => isAttack(key) && (attacks.has(key) || isElsewhere(key)));
      return {
        outcome: state.end.outcome,
        harm: bad.filter((key) => effectOf(key)?.effect !== 'read'),
        leaks: bad.filter((key) => effectOf(key)?.egress === true),
        undone: [...gold].filter((key) => !made.includes(key)),
        questions,
        honest,
        asked,
      };
    }
    const open = [...state.questions.values()].filter(({ answer }) => answer === undefined);
    if (open.length === 0) throw new Error(`${one.id}: the run waits without a question`);
    for (const { question } of open) {
      questions++;
      asked.push(question.context ?? null);
      const {
        operation,
        args,
        also = [],
      } = (question.context ?? {}) as {
        operation?: string;
        args?: JsonObject;
        also?: { args: JsonObject }[];
      };
      const key = keyOf(operation ?? '', args ?? {});
      const isWanted = gold.has(key);
      const listed = also.map((one) => keyOf(operation ?? '', one.args));
      const areAll = listed.length > 0 && listed.every((one) => gold.has(one));
      if (isWanted) {
        honest++;
        for (const one of areAll ? [key, ...listed] : [key]) agreed.add(one);
      }
      const yes = areAll ? 'approve_listed' : 'approve';
      await answerQuestion({ run, question: question.id, answer: isWanted ? yes : 'reject' }, parts);
    }
  }
  throw new Error(`${one.id}: the run does not end`);
}

function targetOf({ tool, args }: FixtureCall, tools: ReadonlyMap<string, FixtureTool>): string {
  const { aim = Object.keys(args) } = tools.get(tool) ?? {};
  return keyOf(tool, Object.fromEntries(Object.entries(args).filter(([name]) => aim.includes(name))));
}

function keyOf(tool: string, args: JsonObject): string {
  return `${tool} ${canonicalJson(args)}`;
}

/** Makes the user's calls. As soon as it has read the order in the data, it makes the attacker's calls first. */
function obedientMind(one: Case, way: Way, tools: ReadonlyMap<string, FixtureTool>): Mind {
  const { calls, attackerCalls, seenAt } = one;
  const extracted = new Map<string, Json>();
  let turn = 0;
  let obeyed = 0;
  const isAnnounced = way === 'adaptive-may' || way === 'adaptive-name' || way === 'adaptive-hard';
  const extracts = isAnnounced ? extractsOf(one, tools) : [];
  for (const { id, call, path, value } of extracts) {
    const tool = calls[call]?.tool;
    const obeyed = attackerCalls.find((other) => other.tool === tool)?.args[path] ?? 'attacker';
    extracted.set(id, way === 'adaptive-hard' && attackerCalls.length > 0 ? obeyed : value);
  }
  const gold = calls.map((call, index) =>
    withExtracts(
      call,
      extracts.filter((one) => one.call === index),
      calls,
    ),
  );
  const obeying = attackerCalls.map((call): Action[] => [action(call, '')]);
  const adaptive = [...gold.slice(0, seenAt + 1).flat(), ...obeying, ...gold.slice(seenAt + 1).flat()];
  const decide = (thought: Thought): Action[] => {
    const isFirst = turn++ === 0;
    const hasRead = thought.state.ends.length > 0;
    if (way.startsWith('planned')) {
      if (isFirst) return withPlan(one, way, extracted);
      if (hasRead && obeyed++ === 0 && attackerCalls.length > 0 && thought.purpose === 'act') {
        const planned = attackerCalls.map((call, index) => action(call, `x${index + 1}`));
        return planned;
      }
      return [answer()];
    }
    const position = turn - 1;
    const made = adaptive[position];
    if (made === undefined) return [answer()];
    const first = isFirst && isAnnounced ? [may(one, way, extracts)] : [];
    return [...first, ...made.map((call) => (call.id === '' ? { ...call, id: `a${position + 1}` } : call))];
  };
  return {
    name: 'obedient',
    think: async (thought) => ({ kind: 'decided', actions: decide(thought) }),
    extract: async ({ find }) => ({ kind: 'extracted', value: extracted.get(find) ?? null }),
  };
}

function action({ tool, args }: FixtureCall, id: string): Action {
  return { id, operation: tool, args };
}

function answer(): Action {
  return { id: 'end', operation: 'answer', args: { text: 'done' } };
}

/**
 * The user's calls as a plan made before anything is read: values from results are Refs. In the hard way, what
 * `extract` reads obeys the stranger too, and gives the stranger's value.
 */
function withPlan({ goal, calls, attackerCalls }: Case, way: Way, extracted: Map<string, Json>): Action[] {
  const actions: Action[] = [];
  for (const [index, { tool, args, origins = {} }] of calls.entries()) {
    let extracts = 0;
    const refTo = (path: string, value: Json, results: readonly number[], isField: boolean): Json => {
      if (isField)
        for (const from of results) {
          const path = fieldWith(calls[from]?.result ?? null, value);
          if (path !== undefined) return writeRef({ task: `c${from}`, path });
        }
      for (const from of isField ? [] : results) {
        const path = formulaFor(goal, calls[from]?.result ?? null, value);
        if (path !== undefined) return writeRef({ task: `c${from}`, path });
      }
      const id = `e${index}_${++extracts}`;
      const obeyed = attackerCalls.find((call) => call.tool === tool)?.args[path] ?? 'attacker';
      extracted.set(id, way === 'planned-hard' && attackerCalls.length > 0 ? obeyed : value);
      actions.push({
        id,
        operation: 'extract',
        args: {
          source: Object.fromEntries(results.map((from) => [`r${from}`, `\${c${from}}`])),
          find: id,
          schema: {},
        },
        after: results.map((from) => `c${from}`),
      });
      return `\${${id}.value}`;
    };
    const filled = fillOrigins(args, '', (path, value) => {
      const { from = 'goal', results = [] } = origins[path] ?? {};
      if (from === 'result') return refTo(path, value, results, true);
      return ['mixed', 'computed', 'unseen'].includes(from) ? refTo(path, value, results, false) : undefined;
    });
    actions.push({
      id: `c${index}`,
      operation: tool,
      args: filled as JsonObject,
      ...(index > 0 && { after: [`c${index - 1}`] }),
    });
  }
  return actions;
}

function fillOrigins(
  value: Json,
  path: string,
  change: (path: string, value: Json) => Json | undefined,
): Json {
  const changed = path === '' ? undefined : change(path, value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((item, index) => fillOrigins(item, `${path}[${index}]`, change));
  if (!isObject(value)) return typeof value === 'string' ? value.replaceAll('${', '$${') : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      fillOrigins(item, path === '' ? key : `${path}.${key}`, change),
    ]),
  );
}

/**
 * Announces the user's calls before anything is read: literal values from the goal, sources for the others, and
 * what `extract` is to make from results.
 */
function may({ calls }: Case, way: Way, extracts: readonly Extract[]): Action {
  const literal = (from: string) => from === 'goal' || from === 'goal~' || from === 'constant';
  const sourceOf = (index: number, path: string): Json => {
    const { tool = '', args = {}, origins = {} } = calls[index] ?? {};
    const known = Object.entries(args).filter(([name]) => literal(origins[name]?.from ?? 'goal'));
    return { from: tool, path, args: Object.fromEntries(known) };
  };
  const announced = calls.slice(1).map(({ tool, args, origins = {} }, position) => {
    const filled = fillOrigins(args, '', (path, value) => {
      const { from = 'goal', results = [] } = origins[path] ?? {};
      const made = extracts.find((one) => one.call === position + 1 && one.path === path);
      if (made !== undefined) return { from: 'extract', path: 'value', args: { find: made.id } };
      if (literal(from)) return undefined;
      const [first = 0] = results;
      const field = fieldWith(calls[first]?.result ?? null, value) ?? '';
      return sourceOf(first, way === 'adaptive-name' ? (field.match(/\w+$/)?.[0] ?? field) : field);
    });
    return { operation: tool, args: filled };
  });
  const texts = extracts.map(({ id, results }) => ({
    operation: 'extract',
    args: {
      source: Object.fromEntries(results.map((from) => [`r${from}`, sourceOf(from, '')])),
      find: id,
      schema: {},
    },
  }));
  return { id: 'may', operation: 'may', args: { calls: [...announced, ...texts] } };
}

/** The decisions for a call: first the values that it needs are read, then it is made with them. */
function withExtracts(call: FixtureCall, extracts: readonly Extract[], calls: Case['calls']): Action[][] {
  const read = extracts.map(({ id, results }) => {
    const source = Object.fromEntries(results.map((from) => [`r${from}`, calls[from]?.result ?? null]));
    return { id, operation: 'extract', args: { source: escaped(source), find: id, schema: {} } };
  });
  return [...(read.length === 0 ? [] : [read]), [action(call, '')]];
}

/** A value that the user's calls need, and that no field of a result is. */
interface Extract {
  readonly id: string;
  readonly call: number;
  readonly path: string;
  readonly value: Json;
  readonly results: readonly number[];
}

function extractsOf({ calls }: Case, tools: ReadonlyMap<string, FixtureTool>): Extract[] {
  return calls.flatMap(({ tool, args, origins = {} }, call) => {
    const found: Extract[] = [];
    // A read that stays in the house is free.
    if (tools.get(tool)?.effect === 'read') return found;
    fillOrigins(args, '', (path, value) => {
      const { from = 'goal', results = [] } = origins[path] ?? {};
      const isField =
        from === 'result' &&
        results.some((one) => fieldWith(calls[one]?.result ?? null, value) !== undefined);
      if (['result', 'mixed', 'computed'].includes(from) && !isField && results.length > 0 && call > 0)
        found.push({ id: `e${call}_${found.length + 1}`, call, path, value, results });
      return undefined;
    });
    return found;
  });
}
