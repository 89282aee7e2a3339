import { type Extracted, type ExtractRequest, extracted, type PassedOn } from '../model/decision.ts';
import { messageOf } from '../model/error.ts';
import { asText, isObject, type Json, type JsonObject, normalise, stringifyJson } from '../model/json.ts';
import { MOST_FOUND, type OwnToolName, ownToolName, withOwnTools } from '../model/own-tools.ts';
import { shown, withoutPieces } from '../model/redact.ts';
import { contextOf } from '../model/settings.ts';
import type { Share } from '../model/sub-goal.ts';
import { type BlobHandle, isStep } from '../model/task.ts';
import { issueText, type SchemaCheck, type Tool } from '../model/tool.ts';
import { sort } from '../plan/graph.ts';
import { query } from '../plan/query.ts';
import { callsUsed, costUsed, tokensUsed } from '../run/limits.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { attachmentNames } from '../run/trust/attachment-names.ts';
import { searchTools, toolIndexOf } from '../search/tools.ts';
import { opaqueForOnce } from '../secrets/index.ts';
import { withoutMedia } from '../views/media.ts';
import { planView } from '../views/plan.ts';
import { excerptOf } from '../views/result-digest.ts';
import { type Call, type CallOutcome, failed, type Toolbox } from './toolbox.ts';
import { hasOtherTools } from './tools-hash.ts';

/** Reads results of a run, whether they are in the journal or in a blob. */
export interface ResultReader {
  /** Loads the results of these tasks, so that `get` has them. */
  load(state: RunState, tasks: Iterable<string>): Promise<void>;
  get(state: RunState, task: string): Json | undefined;
  /** What is stored under the handle. */
  read(blob: BlobHandle): Promise<Json>;
}

/** What an own tool can read. It changes nothing. */
interface Inside {
  readonly state: () => RunState;
  readonly results: ResultReader;
  /** The other runs, if there is a conversation. */
  readonly others?: OtherRuns | undefined;
  readonly goals?: SubGoals | undefined;
  /** A model call for `extract`. Undefined if there is no language model. */
  readonly extract?: ((request: ExtractRequest, signal: AbortSignal) => Promise<Extracted>) | undefined;
  readonly check?: SchemaCheck;
}

interface RunAnswer {
  readonly run: string;
  readonly question: string;
  readonly answer: Json;
  readonly declined: boolean;
  readonly from: string;
}

/** What the model of a run (`from`) may do to another run of its conversation. Repeating is harmless. */
export interface OtherRuns {
  tell(request: { run: string; text: string; from: PassedOn }): Promise<CallOutcome>;
  /** Answers with what the user's message says that started the run `from`. */
  answer(request: RunAnswer): Promise<CallOutcome>;
  cancel(request: { run: string; reason: string; from: PassedOn }): Promise<CallOutcome>;
  /** A message of the conversation. */
  read(message: string): Promise<CallOutcome>;
  /** The plans of the conversation. */
  plans(): Promise<CallOutcome>;
  activate(plan: string): Promise<CallOutcome>;
}

/** What a run wants of one of its sub-goals. */
export interface GoalRequest {
  readonly parent: RunState;
  readonly task: TaskState;
  /** With secrets opened. */
  readonly args: JsonObject;
  readonly share: Share;
  /** The tools of the run, of which the sub-goal gets a part. */
  readonly toolbox: Toolbox;
  readonly progress: Call['progress'];
  readonly signal: AbortSignal;
}

export interface SubGoals {
  /** Starts the sub-goal, or continues it with the answers that the run got. Never rejects. */
  run(request: GoalRequest): Promise<CallOutcome>;
  /** Ends the sub-goals of a run that ends without them. Those of the run that it was forked from go on. */
  cancel(runs: readonly string[], parent: string): Promise<void>;
}

/** The toolbox without all tools but these. */
export function limitTools(toolbox: Toolbox, only: readonly string[] | undefined): Toolbox {
  if (only === undefined) return toolbox;
  const names = new Set(only);
  let last: { theirs: ReadonlyMap<string, Tool>; left: ReadonlyMap<string, Tool> } | undefined;
  return {
    ...toolbox,
    tools() {
      const theirs = toolbox.tools();
      if (last?.theirs !== theirs)
        last = { theirs, left: new Map([...theirs].filter(([name]) => names.has(name))) };
      return last.left;
    },
    missing: () => toolbox.missing(),
    call: (call) =>
      names.has(call.operation)
        ? toolbox.call(call)
        : Promise.resolve(failed('invalid_args', `this run may not use ${call.operation}`)),
    close: () => toolbox.close(),
  };
}

interface Looking extends Omit<Inside, 'state'> {
  readonly state: RunState;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly toolbox: Toolbox;
  readonly call: Call;
}

type Handler = (args: JsonObject, looking: Looking) => CallOutcome | Promise<CallOutcome>;

const HANDLERS: Readonly<Record<OwnToolName, Handler>> = {
  'result.read': readResult,
  'plan.get': getPlan,
  'tool.search': searchTool,
  'attachment.read': readAttachment,
  extract: extractFrom,
  'goal.run': runGoal,
  'conversation.read': readMessage,
  'plan.list': listPlans,
  'plan.activate': activatePlan,
  'run.tell': tellRun,
  'run.answer': answerRun,
  'run.cancel': stopRun,
};

/** Adds our own tools to the toolbox, so that they are compiled, started and journaled like all others. */
export function addOwnTools(toolbox: Toolbox, inside: Inside): Toolbox {
  const { state, others } = inside;
  let last: { theirs: ReadonlyMap<string, Tool>; all: ReadonlyMap<string, Tool> } | undefined;
  const all = () => {
    const theirs = toolbox.tools();
    if (last?.theirs !== theirs) last = { theirs, all: withOwnTools(theirs, others !== undefined) };
    return last.all;
  };
  return {
    tools: all,
    missing: () => toolbox.missing(),
    call(call: Call) {
      const own = ownToolName(call.operation, all());
      if (own === undefined) return toolbox.call(call);
      return callOwn(own, { ...inside, state: state(), tools: toolbox.tools(), toolbox, call });
    },
    close: () => toolbox.close(),
  };
}

async function callOwn(name: OwnToolName, looking: Looking): Promise<CallOutcome> {
  return HANDLERS[name](looking.call.args, looking);
}

/** Whether a call is made by one of our own tools, and not by a user's tool with the same name. */
export function isOwnCall(operation: string | undefined, toolbox: Pick<Toolbox, 'tools'>): boolean {
  return operation !== undefined && ownToolName(operation, toolbox.tools()) !== undefined;
}

/** Shows what is in the state, so a secret in it is a mark and stays one. */
async function readResult(args: JsonObject, { state, results }: Looking): Promise<CallOutcome> {
  const { task, path, from, count } = args;
  const id = String(task);
  const status = state.tasks.get(id)?.status;
  if (status === undefined) return failed('invalid_args', `there is no action ${id} in this run`);
  if (status !== 'succeeded') return failed('not_possible', `${id} has no result: it is ${status}`);
  try {
    await results.load(state, [id]);
  } catch (error) {
    return failed('unavailable', messageOf(error));
  }
  const opaque = opaqueForOnce();
  const part = partOf(opaque.hide(withoutMedia(results.get(state, id) ?? null)), path);
  if (!part.ok) return failed('invalid_args', `path: ${opaque.reveal(part.message)}`);
  const excerpt = excerptOf(opaque.reveal(part.value), {
    from: numberIn(from, 0),
    count: numberIn(count, Number.POSITIVE_INFINITY),
    limit: contextOf(state.settings).result,
  });
  return { kind: 'succeeded', result: withoutPieces(excerpt) };
}

async function readAttachment(args: JsonObject, { state, results }: Looking): Promise<CallOutcome> {
  const told = attachmentNames(state);
  const found =
    state.attachments[told.indexOf(String(args.name))] ??
    state.attachments.find(({ name }) => name === args.name);
  if (found === undefined) {
    const names = told.join(', ') || 'nothing';
    return failed('invalid_args', `there is no such attachment; attached: ${names}`);
  }
  const { name, type: mimeType, bytes, blob, isText } = found;
  try {
    const content = await results.read(blob);
    return {
      kind: 'succeeded',
      result: { name, mimeType, bytes, ...(isText ? { text: content } : { data: content }) },
    };
  } catch (error) {
    return failed('unavailable', messageOf(error));
  }
}

function partOf(
  value: Json,
  path: Json | undefined,
): { ok: true; value: Json } | { ok: false; message: string } {
  if (typeof path !== 'string' || path.trim() === '') return { ok: true, value };
  try {
    const found = query(value, path);
    return found === undefined
      ? { ok: false, message: `${path} finds nothing in this result` }
      : { ok: true, value: found };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/**
 * The model sees the text alone, with secrets hidden, so an order in it can change only the value. The value
 * must fit the schema.
 */
async function extractFrom(args: JsonObject, { state, extract, check, call }: Looking): Promise<CallOutcome> {
  if (extract === undefined) return failed('not_possible', 'extract needs a language model');
  if (!mayExtract(call.task, state)) return failed('not_possible', 'no model call is left in this run');
  // The call has the secrets. Its journaled form has not.
  const { source = null, find, schema } = shown(state.tasks.get(call.task)?.sent ?? args);
  if (!isObject(schema)) return failed('invalid_args', 'schema: must be a JSON Schema');
  const request = { text: asText(withoutMedia(source)), find: String(find), schema };
  const read = extracted.safeParse(await extract(request, call.signal));
  // A mind may be third-party code, and what it says is journaled.
  if (!read.success) return failed('invalid_result', `extract cannot be used: ${messageOf(read.error)}`);
  const found = read.data;
  const counted = found.usage === undefined ? {} : { usage: found.usage };
  if (found.kind === 'failed') return { kind: 'failed', failure: found.failure, ...counted };
  const value = normalise(found.value);
  const [issue] = check?.(schema, value) ?? [];
  if (issue === undefined) return { kind: 'succeeded', result: { value }, ...counted };
  const message = `the value does not fit the schema: ${issueText(issue)}`;
  return { kind: 'failed', failure: { kind: 'invalid_result', message, retryable: true }, ...counted };
}

function mayExtract(task: string, state: RunState): boolean {
  const { calls, tokens = Number.POSITIVE_INFINITY, cost = Number.POSITIVE_INFINITY } = state.settings.limits;
  // Those that started before this one count as soon as they end. One model call is kept for the answer.
  const isCallLeft = callsUsed(state) + extractsBefore(task, state) < Math.max(1, calls - 1);
  return isCallLeft && tokensUsed(state) < tokens && costUsed(state) < cost;
}

/** How many `extract` that started before this task have not ended. */
function extractsBefore(task: string, { tasks, indexes }: RunState): number {
  const running = [...indexes.running].filter((id) => tasks.get(id)?.task.operation === 'extract');
  return Math.max(0, running.indexOf(task));
}

async function runGoal(args: JsonObject, { state, goals, toolbox, call }: Looking): Promise<CallOutcome> {
  const task = state.tasks.get(call.task);
  if (goals === undefined || task?.share === undefined)
    return failed('not_possible', 'there are no sub-goals here');
  if (task.share.calls < 1) return failed('not_possible', 'no model call is left for a sub-goal');
  const { progress, signal } = call;
  return goals.run({ parent: state, task, args, share: task.share, toolbox, progress, signal });
}

function getPlan(_: JsonObject, { state }: Looking): CallOutcome {
  const plan = planView(state);
  if (plan === undefined) return failed('not_possible', 'there is no plan yet');
  const statuses = [...state.tasks.values()]
    .filter(({ task, isSuperseded }) => !isStep(task) && !isSuperseded)
    .map(({ task: { id, operation, step }, status }) => ({
      id,
      operation,
      status,
      ...(step !== undefined && { step }),
    }));
  // A copy: a result must not share objects with the state.
  const needs = new Map(statuses.map(({ id }) => [id, new Set(state.tasks.get(id)?.needs)]));
  const result = { objective: state.goal, ...plan, execution_order: sort(needs).order, tasks: statuses };
  return { kind: 'succeeded', result: normalise(result) };
}

/** Descriptions and schemas that do not fit are shortened, but no name is left out. */
function searchTool({ query: words, limit }: JsonObject, { state, tools }: Looking): CallOutcome {
  const found = searchTools(String(words), toolIndexOf(tools));
  const shown = found.slice(0, Math.min(MOST_FOUND, numberIn(limit, 5)));
  const room = Math.floor(contextOf(state.settings).result / Math.max(1, shown.length));
  return {
    kind: 'succeeded',
    result: { tools: shown.map(({ tool }) => described(tool, room)), matches: found.length },
    // A server can describe its tools otherwise for as long as the search takes.
    ...(hasOtherTools(state, tools) && { hasHeardStrangers: true }),
  };
}

function described({ name, description, effect, inputSchema, outputSchema }: Tool, room: number): JsonObject {
  const text = description.replaceAll(/\s+/g, ' ').trim();
  const whole = { name, description: text, effect, inputSchema, ...(outputSchema && { outputSchema }) };
  if (stringifyJson(whole).length <= room) return whole;
  // A call needs the input schema. The output schema and the rest of the text are dropped.
  return { name, description: text.slice(0, 200), effect, inputSchema };
}

async function readMessage({ message }: JsonObject, { others }: Looking): Promise<CallOutcome> {
  return others?.read(String(message)) ?? noOthers();
}

async function listPlans(_: JsonObject, { others }: Looking): Promise<CallOutcome> {
  return others?.plans() ?? noOthers();
}

async function activatePlan({ name }: JsonObject, { others }: Looking): Promise<CallOutcome> {
  return others?.activate(String(name)) ?? noOthers();
}

/** A run that has read a stranger's text may pass on the stranger's words. */
function sender({ run, settings, orders }: RunState): PassedOn {
  const isClean = settings.trust !== undefined && orders.strangersSince === undefined;
  return { run, ...(isClean && { isClean }) };
}

async function tellRun({ run, text }: JsonObject, { others, state }: Looking): Promise<CallOutcome> {
  return others?.tell({ run: String(run), text: String(text), from: sender(state) }) ?? noOthers();
}

async function answerRun(args: JsonObject, { others, state }: Looking): Promise<CallOutcome> {
  const { run, question, answer = null, declined } = args;
  const request = { run: String(run), question: String(question), answer, declined: declined === true };
  return others?.answer({ ...request, from: state.run }) ?? noOthers();
}

async function stopRun({ run, reason }: JsonObject, { others, state }: Looking): Promise<CallOutcome> {
  return others?.cancel({ run: String(run), reason: String(reason), from: sender(state) }) ?? noOthers();
}

function noOthers(): CallOutcome {
  return failed('not_possible', 'this run belongs to no conversation');
}

function numberIn(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
