import { timeLeft } from '../core/budget.ts';
import { type Compiled, compile, type Surroundings } from '../core/compile.ts';
import { asksFirst } from '../core/decide.ts';
import { refsIn } from '../core/inject.ts';
import { repair } from '../core/repair.ts';
import { hasEnded, lastDecision, type RunState } from '../core/state.ts';
import { isStep, STEP_TOOL } from '../core/step.ts';
import type { OpenSteps } from '../core/step-edges.ts';
import type { Fact } from '../domain/event.ts';
import type { Settings } from '../domain/settings.ts';
import type { Tool } from '../domain/tool.ts';
import type { Clock } from '../ports/clock.ts';
import type { Toolbox } from '../ports/toolbox.ts';
import type { Driver } from './perform.ts';
import { proposal } from './proposal.ts';

/** Compiles the draft and records what came of it; certain mistakes of the mind are corrected without asking it. */
export async function compilePlan({ ledger, parts }: Driver): Promise<void> {
  ledger.record(...(await compiledDraft(ledger.state, parts)));
}

interface Compiling extends Pick<Driver['parts'], 'check' | 'durations'> {
  readonly toolbox: Pick<Toolbox, 'tools' | 'missing'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What becomes of the draft, as facts. */
export async function compiledDraft(state: RunState, parts: Compiling): Promise<Fact[]> {
  const { draft } = state;
  if (draft === undefined) return [];
  const { version, tasks } = draft;
  const { settings } = state;
  // Which task is urgent matters only where not all can start at once.
  if (tasks.length > state.settings.concurrency) await parts.durations?.load();
  const surroundings = surroundingsOf(state, parts);
  // A revision that only takes away leaves nothing to compile.
  if (tasks.length === 0 && draft.revision !== undefined)
    return [{ type: 'plan_approved', data: { version, tasks: [] } }];
  const compiled = compile(tasks, surroundings);
  const mended =
    compiled.ok || draft.by === 'user' ? undefined : repair(tasks, compiled.diagnostics, surroundings);
  const again = mended && compile(mended.tasks, surroundings);
  if (mended !== undefined && again?.ok === true)
    return [
      proposal({ ...draft, by: 'repair', tasks: mended.tasks }),
      approval(version, again, { repairs: mended.notes, settings }),
    ];
  if (compiled.ok) return [approval(version, compiled, { repairs: [], settings })];
  return [{ type: 'plan_rejected', data: { version, diagnostics: compiled.diagnostics } }];
}

interface Circumstances {
  readonly repairs: readonly string[];
  readonly settings: Settings;
}

function approval(
  version: number,
  compiled: Compiled & { ok: true },
  { repairs, settings }: Circumstances,
): Fact {
  const { tasks, groups, accesses } = compiled;
  const warnings = compiled.warnings.map(({ task, message }) =>
    task === undefined ? message : `${task}: ${message}`,
  );
  const notes = [...repairs, ...compiled.notes, ...warnings];
  const isAsked = tasks.some(({ effect }) => asksFirst(effect, settings.approval));
  return {
    type: 'plan_approved',
    data: {
      version,
      tasks,
      ...(groups.length > 0 && { groups: groups.map((group) => [...group]) }),
      ...(accesses && { accesses }),
      ...(notes.length > 0 && { notes }),
      ...(isAsked && { estimate: compiled.estimate() }),
    },
  };
}

function answerUses(state: RunState): Pick<Surroundings, 'answerUses'> {
  const answer = lastDecision(state)?.operations.find(({ operation }) => operation === 'answer');
  const refs = answer === undefined ? [] : refsIn(answer.args);
  return refs.length === 0 ? {} : { answerUses: new Set(refs.map(({ ref }) => ref.task)) };
}

export function surroundingsOf(state: RunState, parts: Compiling): Surroundings {
  const { draft, settings } = state;
  const isTheirs = draft?.by === 'user';
  const removes = new Set(draft?.removes);
  const done = [...state.tasks.values()].filter(
    ({ task, status }) => status === 'succeeded' || (isStep(task) && !removes.has(task.id)),
  );
  const { limits } = settings;
  return {
    tools: withSteps(parts.toolbox.tools()),
    missing: new Map(parts.toolbox.missing().map(({ server, reason }) => [server, reason])),
    check: parts.check,
    // A person's plan may hold Refs whatever the mode; the mode is what the mind is asked for.
    mode: isTheirs ? 'planned' : settings.mode,
    order: settings.order,
    maxTasks: isTheirs ? Number.POSITIVE_INFINITY : limits.tasks - (state.tasks.size - removes.size),
    done: new Map(done.map(({ task }) => [task.id, task.operation])),
    steps: openSteps(state, removes),
    dropsNeedless: !isTheirs,
    ...answerUses(state),
    budget: {
      ms: timeLeft(state, parts.clock.now()),
      cost: limits.cost === undefined ? undefined : limits.cost - (state.usage.cost ?? 0),
      ...settings.task,
      concurrency: settings.concurrency,
      servers: settings.servers,
    },
    expectedMs: parts.durations?.expected,
  };
}

/** What is removed is written anew, and is in the plan itself. */
function openSteps({ tasks, stepCount }: RunState, removes: ReadonlySet<string>): OpenSteps {
  const isOpen = (id: string) => !removes.has(id) && !hasEnded(tasks.get(id)?.status ?? 'blocked');
  const steps = stepCount === 0 ? [] : [...tasks.values()].filter(({ task }) => isStep(task));
  return new Map(
    steps
      .filter(({ task }) => isOpen(task.id))
      .map(({ task, needs, children }) => [
        task.id,
        { needs: needs.filter(isOpen), tasks: children.filter(isOpen), step: task.step },
      ]),
  );
}

function withSteps(tools: ReadonlyMap<string, Tool>): ReadonlyMap<string, Tool> {
  return new Map([...tools, [STEP_TOOL.name, STEP_TOOL]]);
}
