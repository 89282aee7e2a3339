import type { Event, FactOf } from '../model/event.ts';
import { asObject, isObject, type Json, type JsonObject } from '../model/json.ts';
import { isOwnTool } from '../model/own-tools.ts';
import { callAbout, type TrustAbout, type TrustReason } from '../model/question.ts';
import type { Settings } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import type { Effect, Tool } from '../model/tool.ts';
import { apply } from '../run/state/apply.ts';
import { isUnfilled, needsNoReason } from '../run/state/orders.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import { aimsOf, isWayOut } from '../run/trust/aim.ts';
import { planDoubts } from '../run/trust/plan-doubts.ts';
import { originsOf } from '../run/trust/verdict.ts';

type Trust = Settings['trust'];

/** How the engine classifies a tool when it checks where the values of a call come from. */
export interface ToolTrust {
  readonly name: string;
  readonly effect: Effect;
  /** Its results contain no stranger's words. */
  readonly trusted: boolean;
  /** Its program does not say whether it is. */
  readonly trustMissing?: true;
  /** It is a read that can carry data out. */
  readonly wayOut: boolean;
  /** The arguments that aim a call. */
  readonly aim: readonly string[];
  readonly content: readonly string[];
  /** `trust.tools` says which arguments aim. */
  readonly isConfigured: boolean;
}

export function toolTrust(tools: Iterable<Tool>, trust: Trust): ToolTrust[] {
  return [...tools]
    .filter((tool) => !isOwnTool(tool))
    .map((tool) => {
      const example = exampleOf(tool.inputSchema);
      const args: JsonObject = asObject(example);
      const aim = aimsOf(tool, args, trust?.aims);
      return {
        name: tool.name,
        effect: tool.effect,
        trusted: tool.trusted,
        ...(tool.trustMissing && { trustMissing: tool.trustMissing }),
        wayOut: isWayOut(tool),
        aim,
        content: Object.keys(args).filter((name) => !aim.includes(name)),
        isConfigured: Object.hasOwn(trust?.aims ?? {}, tool.name),
      };
    });
}

/** A value with the fields that the schema names. */
function exampleOf(schema: Json): Json {
  if (!isObject(schema)) return null;
  const { properties, items = null } = schema;
  if (!isObject(properties)) return items === null ? null : [exampleOf(items)];
  return Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, exampleOf(of)]));
}

/** What will be asked about a task of a plan that is made before anything is read. */
export interface PlanTrust {
  readonly task: string;
  readonly operation: string;
  readonly verdict: 'free' | 'ordered' | 'asks';
  readonly values: TrustAbout['values'];
}

export function planTrust(
  tasks: readonly Task[],
  { tools, trust }: { tools: ReadonlyMap<string, Tool>; trust: Trust },
): PlanTrust[] {
  return tasks.map((task) => {
    const { id, operation } = task;
    const tool = tools.get(operation);
    const isFree =
      tool === undefined || isOwnTool(tool) || (tool.effect === 'read' && !isWayOut(tool, task.args));
    if (trust === undefined || isFree) return { task: id, operation, verdict: 'free', values: [] };
    const values = planDoubts(task, { tasks, tools, tool, trust });
    return { task: id, operation, verdict: values.length === 0 ? 'ordered' : 'asks', values };
  });
}

/** One entry of the audit of a run. */
export type TrustEntry = { readonly seq: number; readonly at: number } & (
  | {
      readonly kind: 'read';
      readonly task?: string | undefined;
      readonly operation?: string | undefined;
      /** Servers whose words about their tools the user has not seen. */
      readonly unseen?: readonly string[];
    }
  | {
      readonly kind: 'called';
      readonly task: string;
      readonly operation: string;
      readonly because: TrustReason['because'];
      readonly permission?: number | undefined;
      readonly rule?: number | undefined;
      /** What the user would have been asked, if the policy only observes. */
      readonly trust?: TrustAbout;
    }
  | {
      readonly kind: 'asked';
      readonly question: string;
      readonly task: string | undefined;
      readonly operation: string;
      readonly args: JsonObject;
      readonly trust: TrustAbout;
    }
  | {
      readonly kind: 'answered';
      readonly question: string;
      readonly answer: string;
      readonly by?: string | undefined;
    }
  | { readonly kind: 'expired'; readonly question: string }
);

/** A call that changes something starts without a reason only if the user ordered it. */
function orderedBy(
  data: FactOf<'task_started'>['data'],
  task: TaskState | undefined,
  state: RunState,
): TrustReason | undefined {
  const isTold = state.settings.trust !== undefined && task?.isOrdered === true;
  return isTold && !needsNoReason(task, state) && !isUnfilled(task, data)
    ? { because: 'ordered' }
    : undefined;
}

/** What a question would have shown. Results that are stored apart from the journal are not looked into. */
function observed({ isOrdered, sent = {} }: TaskState, state: RunState): TrustAbout {
  const resultOf = (id: string) => {
    const { result } = state.tasks.get(id) ?? {};
    return result !== undefined && 'value' in result ? result.value : undefined;
  };
  const values = Object.entries(sent).flatMap(([name, value]) => originsOf(name, value, { state, resultOf }));
  return { because: isOrdered ? 'aimed' : 'not_ordered', values };
}

/** Why each call was made or asked about, and when the run first read a stranger's text. */
export function trustEntries(events: Iterable<Event>): TrustEntry[] {
  const entries: TrustEntry[] = [];
  const asked = new Set<string>();
  let state: RunState | undefined;
  for (const event of events) {
    const wasHeard = state?.orders.strangersSince !== undefined;
    state = apply(state, event);
    const at = { seq: event.seq, at: event.at };
    if (!wasHeard && state.orders.strangersSince !== undefined) {
      const task = 'task' in event.data ? event.data.task : undefined;
      const { operation } = (typeof task === 'string' ? state.tasks.get(task)?.task : undefined) ?? {};
      const { unseen } = state;
      entries.push({
        ...at,
        kind: 'read',
        task: typeof task === 'string' ? task : undefined,
        operation,
        ...(unseen.length > 0 && { unseen }),
      });
    }
    if (event.type === 'task_started') {
      const started = state.tasks.get(event.data.task);
      const reason = event.data.trust ?? orderedBy(event.data, started, state);
      const operation = started?.task.operation ?? '';
      const trust = started && reason?.because === 'observed' ? observed(started, state) : undefined;
      if (reason !== undefined)
        entries.push({
          ...at,
          kind: 'called',
          task: event.data.task,
          operation,
          ...reason,
          ...(trust && { trust }),
        });
    }
    if (event.type === 'question_asked') {
      const { id, task, context } = event.data.question;
      const about = callAbout.safeParse(context).data;
      if (about?.trust === undefined) continue;
      asked.add(id);
      const { operation, args, trust } = about;
      entries.push({ ...at, kind: 'asked', question: id, task, operation, args, trust });
    }
    if (event.type === 'question_expired' && asked.has(event.data.question))
      entries.push({ ...at, kind: 'expired', question: event.data.question });
    if (event.type === 'question_answered' && asked.has(event.data.question)) {
      const { question, answer, declined, by } = event.data;
      entries.push({
        ...at,
        kind: 'answered',
        question,
        answer: declined === true ? 'reject' : String(answer),
        by,
      });
    }
  }
  return entries;
}
