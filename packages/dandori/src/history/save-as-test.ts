import * as z from 'zod';
import { createResults, type Parts, type Results } from '../driver/index.ts';
import { assertNever, DandoriError } from '../model/error.ts';
import type { Event, FactOf } from '../model/event.ts';
import { asObject, type Json, jsonCopy } from '../model/json.ts';
import { OWN_TOOLS } from '../model/own-tools.ts';
import type { Question } from '../model/question.ts';
import { named, redact } from '../model/redact.ts';
import { SUB_GOAL } from '../model/sub-goal.ts';
import { isStep } from '../model/task.ts';
import { isRepeatable, type Tool } from '../model/tool.ts';
import { apply, noEvents } from '../run/state/apply.ts';
import { responseTo } from '../run/state/held-calls.ts';
import { innerCallsInDoubt } from '../run/state/inner-calls.ts';
import { isTrustedSource } from '../run/state/orders.ts';
import type { RunState } from '../run/state/state.ts';
import { report } from '../views/report.ts';
import {
  CASE_VERSION,
  type CaseCall,
  type CaseCommand,
  type CaseDecision,
  type RecordedCase,
  recordedCase,
} from './case.ts';
import { actionsOf, writtenWith } from './decision-actions.ts';

export const recordedSchema = z.object({
  case: recordedCase,
  inexact: z
    .array(z.number().int())
    .readonly()
    .describe('Decisions of an older version whose actions are not in the journal; such a case may fail'),
  unknown: z
    .array(z.string())
    .readonly()
    .describe('Tools that are not connected now: only their name and effect are known'),
});
export type Recorded = Readonly<z.infer<typeof recordedSchema>>;

type RecordParts = Pick<Parts, 'journal' | 'blobs' | 'toolbox' | 'secrets'>;

/** Makes a test of a run: the inputs from the mind, the tools and the user, and the outcome. */
export async function recordRun(run: string, parts: RecordParts): Promise<Recorded> {
  const events = await parts.journal.read(run);
  const results = createResults(parts.blobs);
  const tools = parts.toolbox.tools();
  const recording: Recording = {
    decisions: [],
    calls: [],
    commands: [],
    open: new Map(),
    dropped: new Map(),
    givenUp: new Set(),
    begun: 0,
    inexact: [],
  };
  let state: RunState | undefined;
  for (const [index, event] of events.entries()) {
    if (state !== undefined)
      await record(event, { state, followed: () => writtenWith(events, index + 1), results, recording });
    state = apply(state, event);
    if (event.type === 'task_started') begin(event, state, { recording, tools });
  }
  if (state === undefined) throw noEvents(run);
  const { outcome, answer, failure, tasks } = report(state);
  if (outcome === 'open' || outcome === 'paused' || outcome === 'cancelled') throw unfit(run, outcome);
  const known = toolsOf(events, tools, state);
  const [first, second] = events;
  const isPlan = second?.type === 'plan_proposed' && second.data.by === 'user';
  const made: RecordedCase = {
    version: CASE_VERSION,
    goal: state.goal,
    ...(state.userId !== undefined && { userId: state.userId }),
    mind: state.mind,
    settings: first?.type === 'run_started' ? first.data.settings : state.settings,
    ...(isPlan && { plan: second.data.tasks }),
    tools: known.tools,
    decisions: recording.decisions,
    calls: recording.calls,
    commands: recording.commands,
    expect: {
      outcome,
      answer,
      ...(failure && { failure: failure.kind }),
      plan: [...state.tasks.values()].map(({ task }) => task),
      tasks: Object.fromEntries(Object.entries(tasks).map(([id, { status }]) => [id, status])),
    },
  };
  // The journal contains no secrets, but tool descriptions may.
  const plain = jsonCopy(redact(named(made), parts.secrets));
  return { case: plain, inexact: recording.inexact, unknown: known.unknown };
}

function unfit(run: string, outcome: 'open' | 'paused' | 'cancelled'): DandoriError {
  if (outcome !== 'cancelled')
    return new DandoriError('run-not-ended', `The run ${run} has not ended.`, {
      fix: `Run \`dandori resume ${run}\`, then save it.`,
    });
  return new DandoriError('usage', `The run ${run} was cancelled, and a test can't repeat that.`, {
    fix: 'Save a run that ended by itself.',
  });
}

interface Recording {
  readonly decisions: CaseDecision[];
  readonly calls: CaseCall[];
  readonly commands: CaseCommand[];
  /** Unfinished calls. */
  readonly open: Map<string, OpenCall>;
  /** Questions of calls that were lost with their driver. The repeated call does not ask them again. */
  readonly dropped: Map<string, OpenCall['asked']>;
  /** Questions for which the call got no answer in time, even if an answer came later. */
  readonly givenUp: Set<string>;
  /** The number of decisions that have started. */
  begun: number;
  readonly inexact: number[];
}

interface OpenCall extends Pick<CaseCall, 'task' | 'operation' | 'args'> {
  /** The questions that the call has asked while it was open. */
  readonly asked: readonly Question[];
}

interface Recorder {
  /** The state before the event. */
  readonly state: RunState;
  readonly followed: () => readonly Event[];
  readonly results: Results;
  readonly recording: Recording;
}

async function record(event: Event, { state, followed, results, recording }: Recorder): Promise<void> {
  const purpose = state.thinking?.purpose ?? 'act';
  switch (event.type) {
    case 'decision_started':
      recording.begun++;
      return;
    case 'decision_made':
      return decided(event, { state, followed, recording });
    case 'decision_failed': {
      const { failure, next, usage, ms } = event.data;
      recording.decisions.push({ purpose, failure, next, usage, ms });
      return;
    }
    case 'limit_reached': {
      const { limit, needed, reserved } = event.data;
      recording.decisions.push({ purpose, needed: { limit, amount: needed, reserved }, ms: 0 });
      return;
    }
    case 'task_succeeded': {
      const { task, blob, result = null, note, ms } = event.data;
      const value = blob === undefined ? result : await results.read(blob);
      return end(task, { result: value, ms, ...(note !== undefined && { note }) }, { state, recording });
    }
    case 'task_failed': {
      const { task, failure, ms } = event.data;
      // The call was never sent, and will not be.
      if (failure.kind === 'invalid_args') recording.open.delete(task);
      return end(task, { failure, ms }, { state, recording });
    }
    case 'task_in_doubt': {
      const { task, cause } = event.data;
      const isAgain = isRepeatable(state.tasks.get(task)?.effect ?? 'write');
      // A test has no crash: a call that was sent again after a crash is sent once.
      if (cause === 'driver_lost' && isAgain) drop(task, recording);
      const isUnknown = cause === 'driver_lost' || cause === 'unanswered';
      return end(task, { lost: isUnknown ? 'connection_lost' : cause, ms: 0 }, { state, recording });
    }
    case 'probe_ended':
      return probed(event, { results, recording });
    case 'preview_ended':
      return previewed(event.data, { state, recording });
    case 'call_approved':
      // A test has no standing approvals, so the recorded user approves instead.
      if (event.data.standing !== undefined)
        recording.commands.push({ answer: { kind: 'approval', task: event.data.task, value: 'approve' } });
      return;
    case 'question_asked':
      return asked(event.data, { state, recording });
    case 'hold_ended':
      for (const { id } of recording.open.get(event.data.task)?.asked ?? [])
        if (state.questions.get(id)?.answer === undefined) recording.givenUp.add(id);
      return;
    case 'question_answered':
      return answered(event.data, { state, recording });
    case 'question_expired': {
      const question = state.questions.get(event.data.question)?.question;
      if (question !== undefined)
        recording.commands.push({ expire: { kind: question.kind, task: question.task } });
      return;
    }
    case 'note_added': {
      const { text, passedOnBy } = event.data;
      recording.commands.push({ note: { text, passedOnBy, decision: recording.begun } });
      return;
    }
    case 'run_paused':
      recording.commands.push({ pause: { reason: event.data.reason, decision: recording.begun } });
      return;
    case 'run_continued':
      recording.commands.push({ continue: {} });
      return;
    case 'budget_added': {
      const { by: _, ...amounts } = event.data;
      const given = Object.entries(amounts).filter(([, amount]) => amount !== undefined);
      recording.commands.push({ addBudget: Object.fromEntries(given) as Record<string, number> });
      return;
    }
    // The repeated run makes these again by itself.
    case 'run_started':
    case 'run_resumed':
    case 'reflection_made':
    case 'plan_proposed':
    case 'plan_revised':
    case 'plan_approved':
    case 'plan_rejected':
    case 'task_started':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_started':
    case 'preview_started':
    case 'answer_applied':
    case 'cancel_requested':
    case 'run_finished':
    case 'run_rated':
      return;
    default:
      return assertNever(event);
  }
}

function answered(
  { question: id, answer: value, declined, comment }: FactOf<'question_answered'>['data'],
  { state, recording }: Pick<Recorder, 'state' | 'recording'>,
): void {
  const question = state.questions.get(id)?.question;
  if (question === undefined) return;
  const { kind, task = '' } = question;
  const inDoubt = innerCallsInDoubt(state.tasks.get(task) ?? { innerCalls: undefined });
  const isAgain = kind === 'in_doubt' && (value === 'again' || value === 'again_after');
  // A test calls the service as a whole. Of the answers about its inner calls, only the last one counts.
  if (isAgain && inDoubt.length > 1) return;
  const isHeld =
    state.indexes.held.has(task) || recording.dropped.get(task)?.some((one) => one.id === id) === true;
  const answer = {
    kind,
    task: question.task,
    value: isAgain ? 'again' : oneApproval(value),
    declined,
    comment,
  };
  const ofCall = { text: question.text, ...(isHeld && { held: true }) };
  recording.commands.push({ answer: { ...answer, ...(kind === 'elicitation' && ofCall) } });
}

/** A test has no settings of a user. */
const oneApproval = (answer: Json) =>
  answer === 'approve_tool_always' || answer === 'approve_call_always' ? 'approve' : answer;

/** A preview that found out that the user must choose is recorded with its question. */
function previewed(
  { task: id, preview, args, message, failure, ms }: FactOf<'preview_ended'>['data'],
  { state, recording }: Pick<Recorder, 'state' | 'recording'>,
): void {
  const task = state.tasks.get(id);
  if (task?.previewing === undefined) return;
  const made = { task: id, operation: task.task.operation, args: task.previewing, preview: true as const };
  if (preview !== undefined)
    recording.calls.push({ ...made, result: { ...preview, ...(args && { args }) }, ms });
  else if (failure !== undefined) recording.calls.push({ ...made, failure, ms });
  // A failure that may pass, so that a replay asks without a preview too.
  else if (message !== undefined)
    recording.calls.push({ ...made, failure: { kind: 'unavailable', message }, ms });
}

/** A call either ends with a question, or asks while it is open. */
function asked(
  { question, attempt, held, input }: FactOf<'question_asked'>['data'],
  { state, recording }: Pick<Recorder, 'state' | 'recording'>,
): void {
  const { kind, task, text, options = [], form, default: fallback } = question;
  const ambiguous = { question: text, options, form, default: fallback };
  if (kind === 'ambiguity' && attempt === undefined && task !== undefined) {
    const { operation = '', args = {} } = asObject(question.context);
    const made = { task, operation: String(operation), args: asObject(args) };
    recording.calls.push({ ...made, preview: true, ambiguous, ms: 0 });
  }
  if (attempt === undefined || task === undefined) return;
  if (kind === 'ambiguity') {
    end(task, { ambiguous, ms: 0 }, { state, recording });
  }
  if (kind !== 'elicitation') return;
  const begun = recording.open.get(task);
  if (held === true) {
    if (begun !== undefined) recording.open.set(task, { ...begun, asked: [...begun.asked, question] });
    return;
  }
  const wanted = { name: input?.name, ...requestOf(question) };
  if (begun !== undefined) {
    end(task, { wanted: { requests: [wanted], state: input?.state }, ms: 0 }, { state, recording });
    return;
  }
  // Questions that a call asks together are journaled one after the other.
  recording.calls.findLast((call) => call.task === task)?.wanted?.requests.push(wanted);
}

function requestOf({ text, form, url }: Question): Pick<Question, 'text' | 'form' | 'url'> {
  return { text, form, url };
}

/** The finding of a probe becomes the outcome of the call, so a test needs no probe. */
async function probed(
  { data }: Event & { type: 'probe_ended' },
  { results, recording: { calls } }: Pick<Recorder, 'results' | 'recording'>,
): Promise<void> {
  const index = calls.findLastIndex(({ task, lost }) => task === data.task && lost !== undefined);
  const call = calls[index];
  if (call === undefined || data.found === 'unknown') return;
  if (data.found === 'not_happened') {
    calls.splice(index, 1);
    return;
  }
  const result = data.blob === undefined ? (data.result ?? null) : await results.read(data.blob);
  const { lost: _, ...known } = call;
  calls[index] = { ...known, result };
}

function decided(
  { data }: Event & { type: 'decision_made' },
  { state, followed, recording }: Omit<Recorder, 'results'>,
): void {
  const { decision, reasoning, usage, ms } = data;
  const { actions, isExact } = actionsOf(data, { followed, state });
  if (!isExact) recording.inexact.push(decision);
  const purpose = state.thinking?.purpose ?? 'act';
  recording.decisions.push({ purpose, actions, reasoning, usage, ms });
}

function begin(
  { data }: Event & { type: 'task_started' },
  state: RunState,
  { recording, tools }: { recording: Recording; tools: ReadonlyMap<string, Tool> },
): void {
  const task = state.tasks.get(data.task);
  if (task === undefined || isOwn(task.task.operation, tools)) return;
  const { operation } = task.task;
  const asked = recording.dropped.get(data.task) ?? [];
  recording.dropped.delete(data.task);
  recording.open.set(data.task, { task: data.task, operation, args: task.sent ?? {}, asked });
}

const RECORDED = [SUB_GOAL, 'extract', 'attachment.read'];
/** The driver itself runs own tools, in a test too, if they call no model and need no file. A user's tool may have their name. */
function isOwn(operation: string, tools: ReadonlyMap<string, Tool>): boolean {
  return Object.hasOwn(OWN_TOOLS, operation) && !RECORDED.includes(operation) && !tools.has(operation);
}

function end(
  task: string,
  how: Omit<CaseCall, 'task' | 'operation' | 'args' | 'asks'>,
  { state, recording: { open, calls, givenUp } }: Pick<Recorder, 'state' | 'recording'>,
): void {
  const told = (id: string) => {
    const asked = state.questions.get(id);
    if (givenUp.has(id)) return 'cancel' as const;
    return asked?.answer === undefined ? undefined : responseTo(asked).action;
  };
  const begun = open.get(task);
  if (begun === undefined) return;
  open.delete(task);
  const { asked: questions, ...call } = begun;
  const asks = questions.map((question) => ({ ...requestOf(question), told: told(question.id) }));
  calls.push({ ...call, ...(asks.length > 0 && { asks }), ...how });
}

function drop(task: string, { open, dropped }: Recording): void {
  dropped.set(task, open.get(task)?.asked ?? []);
  open.delete(task);
}

/**
 * The tools that the run's plans name, in their present form. For missing tools, what the journal knows. A tool is trusted
 * if it was when the run started: otherwise the test would ask about other calls.
 */
function toolsOf(
  events: readonly Event[],
  tools: ReadonlyMap<string, Tool>,
  state: RunState,
): { tools: RecordedCase['tools']; unknown: string[] } {
  const proposed = events.filter(({ type }) => type === 'plan_proposed' || type === 'plan_revised');
  const tasks = proposed.flatMap(({ data }) => (data as FactOf<'plan_proposed'>['data']).tasks);
  const operations = new Map(
    tasks.filter((task) => !isStep(task)).map(({ id, operation }) => [id, operation]),
  );
  const effects = new Map(
    events.flatMap((event) =>
      event.type === 'plan_approved'
        ? event.data.tasks.map(({ id, effect }) => [operations.get(id) ?? '', effect] as const)
        : [],
    ),
  );
  const found = new Map<string, Tool>();
  const unknown: string[] = [];
  const open = [...new Set(operations.values())].filter((name) => !isOwn(name, tools));
  for (const name of open) {
    const tool = tools.get(name);
    const effect = effects.get(name);
    if (tool !== undefined) {
      found.set(name, tool);
      open.push(...(tool.calls ?? []).filter((other) => !open.includes(other)));
    } else if (effect !== undefined) {
      unknown.push(name);
      const [server = name] = name.split('.');
      const inputSchema = { type: 'object' };
      found.set(name, { name, server, description: '', inputSchema, effect, trusted: false });
    }
  }
  const isTrusted = ({ name, trusted }: Tool) =>
    state.settings.trust === undefined ? trusted : isTrustedSource(state, name);
  const plain = [...found.values()].map((tool) => ({ ...plainTool(tool), trusted: isTrusted(tool) }));
  return { tools: plain, unknown };
}

function plainTool({
  title: _,
  probe: __,
  trustMissing: ___,
  calls,
  ...tool
}: Tool): RecordedCase['tools'][number] {
  return { ...tool, ...(calls && { calls: [...calls] }) };
}
