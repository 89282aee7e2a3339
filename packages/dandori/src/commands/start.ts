import { createHash, randomInt } from 'node:crypto';
import type { MayAnswer } from '../model/decision.ts';
import { DandoriError } from '../model/error.ts';
import { type Event, eventOf, type Fact, type FactOf } from '../model/event.ts';
import { isObject, type JsonObject, parseJson, stringifyJson } from '../model/json.ts';
import { isOwnTool, OWN_SERVER, OWN_TOOLS, RUN_TOOLS } from '../model/own-tools.ts';
import { shown } from '../model/redact.ts';
import type { Settings } from '../model/settings.ts';
import type { ParentOfRun } from '../model/sub-goal.ts';
import type { Attachment, Task } from '../model/task.ts';
import { type Tool, unseenServers } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { type CompileParts, compileDraft } from '../run/drafts/draft.ts';
import { fold } from '../run/state/apply.ts';
import { sealingOf, withOpenedCheck } from '../secrets/index.ts';
import type { Blobs, Keys } from '../store/index.ts';
import { hashOfTools, type Memory } from '../tools/index.ts';
import { isShowable } from '../views/media.ts';
import { type GivenAttachment, storeAttachments } from './attachments.ts';
import { type CommandParts, readable, tasksAsJournaled } from './send.ts';

/** Longer goals are data. They belong in a file or a tool's result, not in every prompt of the run. */
const LONGEST_GOAL = 100_000;

export interface RunStart {
  readonly goal: string;
  readonly settings: Settings;
  readonly userId?: string | undefined;
  /** The user's own plan. The mind is then not asked for a plan. */
  readonly tasks?: readonly Task[] | undefined;
  /** Files that belong to the goal. */
  readonly attachments?: readonly GivenAttachment[] | undefined;
  /** Files that are stored already. */
  readonly stored?: readonly Attachment[] | undefined;
  /** JSON Schema of the output that the answer must have. */
  readonly output?: JsonObject | undefined;
  /** Refuses `tasks` that do not compile, with `plan-invalid`. Otherwise such a run starts and then fails. */
  readonly isValidOnly?: boolean;
  /** The id of the run, if the caller has already journaled one. */
  readonly run?: string;
  /** The conversation that owns the run. */
  readonly conversation?: string;
  /** What the mind is told about the conversation. */
  readonly context?: string | undefined;
  /** Whether the mind may cancel another run without asking, before a tool has returned anything. */
  readonly mayCancel?: boolean | undefined;
  /** The answers to questions of other runs that the user's message gives. */
  readonly mayAnswer?: readonly MayAnswer[] | undefined;
  /** What the mind is told at the start contains output of tools. */
  readonly hasHeardStrangers?: true | undefined;
  /** The goal was suggested by a run that had read external content. */
  readonly isSuggested?: true | undefined;
  /** The run that starts this one as a sub-goal, and the only tools that it may use. */
  readonly parent?: ParentOfRun | undefined;
  readonly only?: readonly string[] | undefined;
}

type Starting = CommandParts &
  Pick<CompileParts, 'toolbox' | 'check' | 'durations'> & {
    readonly mind: { readonly name: string };
    readonly memory?: Pick<Memory, 'atStart'> | undefined;
    readonly blobs: Blobs;
  };

/** A run that was just written. A driver in the same process need not read or compile it again. */
export interface Started {
  readonly run: string;
  readonly events: readonly Event[];
  readonly plan?: StartedPlan | undefined;
}

/** The user's plan in compiled form, with the tools that it was compiled for. */
interface StartedPlan {
  readonly compiled: Compiled;
  readonly tools: ReadonlyMap<string, Tool>;
}

/** Journals a new run without driving it. */
export async function startRun(beginning: RunStart, parts: Starting): Promise<Started> {
  const started = prepare(await withFiles(beginning, parts), parts);
  await parts.journal.create(started.run, started.events);
  return started;
}

/** What is read and stored before the run is written. A sub-goal knows only what its goal says. */
async function withFiles(beginning: RunStart, parts: Starting): Promise<PreparedStart> {
  const { userId, settings, parent, attachments: given = [], stored = [], ...rest } = beginning;
  checkUser(userId);
  const attachments = [...stored, ...(await storeAttachments(given, parts))];
  const isGuarded = settings.trust !== undefined;
  const text = parent === undefined ? await parts.memory?.atStart({ userId, isGuarded }) : undefined;
  // A model sees these files before it decides anything, and words in them are not the user's.
  const isSeen = attachments.some(({ type, earlier }) => isShowable(type) && earlier !== true);
  const hasHeard = rest.hasHeardStrangers ?? (isSeen || undefined);
  return {
    ...rest,
    userId,
    settings,
    parent,
    memory: text,
    attachments,
    ...(hasHeard && { hasHeardStrangers: hasHeard }),
  };
}

type PreparedStart = Omit<RunStart, 'attachments' | 'stored'> & {
  readonly memory?: string | undefined;
  readonly attachments: readonly Attachment[];
};

/** Everything in a start except the write, so that a refused start leaves nothing behind. */
function prepare(
  { goal, settings, userId, tasks, isValidOnly = false, run: id, output, ...origin }: PreparedStart,
  parts: Starting,
): Started {
  checkGoal(goal);
  const at = parts.clock.now();
  const run = id ?? newId(at);
  const {
    conversation,
    context,
    memory,
    attachments,
    mayCancel,
    mayAnswer,
    hasHeardStrangers,
    isSuggested,
    parent,
    only,
  } = origin;
  const planGiven = tasks === undefined ? {} : { planGiven: true };
  const about = {
    goal,
    settings,
    mind: parts.mind.name,
    userId,
    ...planGiven,
    output,
    ...aboutTools(settings, parts.toolbox),
  };
  const facts: Fact[] = [
    {
      type: 'run_started',
      data: {
        ...about,
        conversation,
        context,
        memory,
        ...(attachments.length > 0 && { attachments: [...attachments] }),
        mayCancel,
        ...(mayAnswer && { mayAnswer: [...mayAnswer] }),
        hasHeardStrangers,
        isSuggested,
        parent,
        ...(only && { only: [...only] }),
        sealed: true,
      },
    },
  ];
  if (tasks !== undefined)
    facts.push({ type: 'plan_proposed', data: { version: 1, by: 'user', tasks: tasksAsJournaled(tasks) } });
  const sealing = sealingOf(parts);
  const events = facts.map((fact, index) => {
    const event = eventOf(sealing.seal(fact), { run, seq: index + 1, at });
    if (event.type === 'plan_proposed' && event.data.tasks.every(isPlain)) return event;
    return event.type === 'run_started' ? readableStart(event) : readable(event);
  });
  const plan = isValidOnly && tasks !== undefined ? compiledPlan(events, parts) : undefined;
  return { run, events, plan };
}

/** Everything but the goal of the last start that fitted the schema, as JSON. */
let lastFitting: string | undefined;

/**
 * Runs of one program usually differ only in their goals. Writing the rest as JSON takes less time than checking it. If
 * the text is that of a start that fits, the journal can be read again.
 */
function readableStart(event: Event & { type: 'run_started' }): Event {
  const { goal, ...rest } = event.data;
  const text = stringifyJson(rest);
  if (text === lastFitting && typeof goal === 'string') return event;
  readable(event);
  lastFitting = text;
  return event;
}

const PLAIN_FIELDS: ReadonlySet<string> = new Set(['id', 'operation', 'args', 'after']);

/** Whether the schema certainly accepts a task. It accepts most, and takes much longer to say so. */
function isPlain(task: Task): boolean {
  const { id, operation, args, after } = task;
  if (typeof id !== 'string' || typeof operation !== 'string' || !isObject(args)) return false;
  if (after !== undefined && !(Array.isArray(after) && after.every((one) => typeof one === 'string')))
    return false;
  for (const name in task) if (!PLAIN_FIELDS.has(name)) return false;
  return true;
}

type AboutTools = Pick<FactOf<'run_started'>['data'], 'sources' | 'tools' | 'unseen'>;

/** A thousand runs with the same tools are told the same about them. */
const aboutKnown = new WeakMap<ReadonlyMap<string, Tool>, AboutTools>();

/** What the run must know about its tools to judge later where a value comes from. */
function aboutTools({ trust }: Settings, toolbox: CompileParts['toolbox']): AboutTools {
  if (trust === undefined) return {};
  const tools = toolbox.tools();
  const missing = toolbox.missing();
  const known = missing.length === 0 ? aboutKnown.get(tools) : undefined;
  if (known !== undefined) return known;
  const isTrusted = (tool: Tool) => tool.trusted || isOwnTool(tool);
  const servers = Map.groupBy(tools.values(), ({ name, server }) =>
    isOwnTool({ server }) ? server : name.split('.', 1)[0],
  );
  // A server is listed if all its tools are trusted and no server of that name is missing. Otherwise its trusted
  // tools are listed one by one, except a tool that has the same name as the server.
  const coming = new Set(missing.map(({ server }) => server.split('.', 1)[0]));
  const trusted = [...servers].flatMap(([name = '', offered]) =>
    offered.every(isTrusted) && !coming.has(name)
      ? [name]
      : offered.filter((tool) => isTrusted(tool) && tool.name !== name).map((tool) => tool.name),
  );
  const isReplaced = Object.keys({ ...OWN_TOOLS, ...RUN_TOOLS }).some((name) => {
    const tool = tools.get(name);
    return tool !== undefined && !isOwnTool(tool);
  });
  const names = [...trusted, ...(isReplaced ? [] : [OWN_SERVER])];
  const unseen = unseenServers(tools);
  const about = {
    sources: [...new Set(names)],
    tools: hashOfTools(tools),
    ...(unseen.length > 0 && { unseen }),
  };
  if (missing.length === 0) aboutKnown.set(tools, about);
  return about;
}

function compiledPlan(events: readonly Event[], parts: Starting): StartedPlan | undefined {
  const state = fold(events);
  if (state?.draft === undefined) return undefined;
  const tools = parts.toolbox.tools();
  const compiled = compileDraft(state.draft, { state, parts: withOpenedCheck(parts) });
  if (compiled.ok) return { compiled, tools };
  const diagnostics = shown(compiled.diagnostics);
  const lines = diagnostics.map(({ code, task = '', message }) => `${code} ${task}: ${message}`);
  throw new DandoriError('plan-invalid', lines.join('\n'), {
    diagnostics,
    fix: 'Correct the plan. `dandori check`, or POST /api/plans/check, compiles a plan and runs nothing.',
  });
}

/**
 * Starts a run under a key. Repeated calls, at the same time or after a crash, start only one run. The id is
 * stored under the key before the run is written. A later call writes the run with that id if it is missing.
 */
export async function startOnce(
  beginning: RunStart,
  { key, request }: { readonly key: string; readonly request: string },
  parts: Starting & { readonly keys: Keys },
): Promise<Pick<Started, 'run'> & Partial<Started>> {
  // Prepared before the key is used: a refused request must not use up its key.
  const started = prepare(await withFiles(beginning, parts), parts);
  const asked = { run: started.run, request: createHash('sha256').update(request).digest('hex') };
  const held = await parts.keys.hold(`${beginning.userId ?? ''}\n${key}`, stringifyJson(asked));
  const first = parseJson(held) as typeof asked;
  if (first.request !== asked.request)
    throw new DandoriError('key-reused', 'This key was used for another run.', {
      fix: 'Use a new key for each new run; send the same key only with the same request.',
    });
  const { run } = first;
  const events = started.events.map((event) => ({ ...event, run }));
  try {
    await parts.journal.create(run, events);
    return { ...started, run, events };
  } catch (error) {
    if (error instanceof DandoriError && error.code === 'run-exists') return { run };
    throw error;
  }
}

export function checkGoal(goal: string): void {
  if (goal.trim() === '') {
    throw new DandoriError('goal-invalid', 'The goal is empty.', {
      fix: 'Say what you want: dandori run "100 + 200を計算"',
    });
  }
  if (goal.length > LONGEST_GOAL) {
    throw new DandoriError(
      'goal-invalid',
      `The goal has ${goal.length} characters; ${LONGEST_GOAL} are the most.`,
      {
        fix: 'Put the text into a file and let a tool read it.',
      },
    );
  }
}

export function checkUser(id: unknown = ''): void {
  if (typeof id === 'string') return;
  throw new DandoriError('usage', 'The userId must be a text.', {
    fix: 'Write userId: String(user.id).',
  });
}

/**
 * Ids sort by time, so that the newest runs are found without opening a file: 20261115-221530123-k3f9a2xz. Many
 * processes may start thousands of runs in the same millisecond, so the random part must be long.
 */
export function newId(at: number): string {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  const random = randomInt(36 ** 8)
    .toString(36)
    .padStart(8, '0');
  return `${date.replaceAll('-', '')}-${time.slice(0, -1).replaceAll(':', '').replace('.', '')}-${random}`;
}
