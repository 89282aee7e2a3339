import * as z from 'zod';
import { reflection } from '../model/decision.ts';
import type { Event } from '../model/event.ts';
import { stringifyJson } from '../model/json.ts';
import { complexity, planAuthor } from '../model/plan.ts';
import { purposeOf, type Task } from '../model/task.ts';
import { isJapanese, type Language } from '../model/text.ts';
import { refsIn } from '../plan/fill-refs.ts';
import { sort } from '../plan/graph.ts';
import { runTextsIn } from '../views/texts/of-run.ts';
import { type HistoryEntry, type ProposedEntry, planEntries } from './plan-history.ts';

const names = z.array(z.string()).readonly();

const source = {
  timestamp: z.iso.datetime().describe('ISO 8601, in UTC'),
  seq: z.number().int().describe('The event of the journal that the line is made of'),
};
const line = z.object({ ...source, run: z.string() });

const action = z.object({
  id: z.string(),
  operation: z.string(),
  args: z.record(z.string(), z.unknown()),
  dependencies: names,
  reasoning: z.string().optional(),
});
const actions = {
  execution_order: names.describe('The ids of the actions; each comes after those that it depends on'),
  actions: z.array(action).readonly(),
};

const status = z
  .enum(['proposed', 'accepted', 'rejected', 'replaced'])
  .describe('proposed: the compiler or the user has not decided yet');
const written = { version: z.number().int(), status, by: planAuthor };

const planLine = line.extend({
  type: z.literal('plan'),
  ...written,
  extends: z.number().int().optional().describe('The accepted plan that these actions are added to'),
  goal_understanding: z.object({ main_objective: z.string(), success_criteria: names, constraints: names }),
  decomposition: z.object({
    reasoning: z.string(),
    subtasks: z
      .array(
        z.object({
          id: z.string(),
          description: z.string(),
          dependencies: names,
          complexity: complexity.optional(),
        }),
      )
      .readonly(),
  }),
  ...actions,
});

/** A few calls that are added to a plan, as in each turn of a loop. What that plan says is not repeated. */
const additionLine = z.strictObject({
  type: z.literal('plan'),
  ...source,
  ...written,
  by: planAuthor.optional().describe('Absent if the model decided on them'),
  extends: z.number().int().describe('The accepted plan that these actions are added to'),
  reasoning: z.string().optional(),
  ...actions,
  actions: z
    .array(action.extend({ description: z.string().optional(), dependencies: names.optional() }))
    .readonly(),
});

const revisionLine = line.extend({
  type: z.literal('revision'),
  ...written,
  reason: z.string(),
  changes: z.array(z.object({ kind: z.string(), task: z.string().optional() })).readonly(),
  ...actions,
});

const reflectionLine = line.extend({
  type: z.literal('reflection'),
  trigger: z.enum(['error', 'interval', 'evaluation']),
  status: reflection.shape.status,
  evaluation: z.string(),
  needs_revision: z.boolean(),
  by: z.enum(['mind', 'runtime']),
});

/** One line of the planning history: a plan, actions that are added to it, a revision of it, or a reflection. */
export const historyLineSchema = z.union([planLine, additionLine, revisionLine, reflectionLine]);
export type HistoryLine = Readonly<z.infer<typeof historyLineSchema>>;

/** The planning history of a run in the documented line format, computed from its journal. */
export function historyLines(events: readonly Event[]): HistoryLine[] {
  const [first] = events;
  const goal = first?.type === 'run_started' ? first.data.goal : '';
  return linesOf(planEntries(events), { run: first?.run ?? '', goal });
}

export interface Owner {
  readonly run: string;
  readonly goal: string;
}

export function linesOf(entries: readonly HistoryEntry[], owner: Owner): HistoryLine[] {
  let accepted: number | undefined;
  return entries.map((entry) => {
    const base = accepted;
    if (entry.kind !== 'reflected' && entry.isAccepted === true) accepted = entry.version;
    return lineOf(entry, owner, base);
  });
}

/** As JSON Lines. */
export function writeHistoryLines(lines: readonly HistoryLine[]): string {
  return lines.map((one) => `${stringifyJson(one)}\n`).join('');
}

function lineOf(entry: HistoryEntry, { run, goal }: Owner, base: number | undefined): HistoryLine {
  const timestamp = new Date(entry.at).toISOString();
  const { seq } = entry;
  if (entry.kind === 'reflected') {
    const { trigger, status: judged, evaluation, revisionNeeded, by } = entry;
    const rest = { trigger, status: judged, evaluation, needs_revision: revisionNeeded, by };
    return { type: 'reflection', timestamp, run, seq, ...rest };
  }
  const { version, by, revision, outline = {}, tasks } = entry;
  const needs = new Map(tasks.map((task) => [task.id, dependenciesOf(task, entry)]));
  const { order } = sort(needs);
  const judged = statusOf(entry);
  if (base !== undefined && isAddition(entry)) {
    const rest = { version, status: judged, extends: base, ...added(entry, needs), execution_order: order };
    return { type: 'plan', timestamp, seq, ...rest };
  }
  const common = { timestamp, run, seq, version, status: judged, by };
  const acting = {
    execution_order: order,
    actions: tasks.map(({ id, operation, args, reasoning }) => ({
      id,
      operation,
      args,
      dependencies: [...(needs.get(id) ?? [])],
      ...(reasoning !== undefined && { reasoning }),
    })),
  };
  if (revision !== undefined) return { type: 'revision', ...common, ...revision, ...acting };
  const { objective = goal, constraints = [], reasoning = entry.reasoning ?? '', steps = [] } = outline;
  const successCriteria = outline.successCriteria ?? expected(tasks, needs, isJapanese(goal) ? 'ja' : 'en');
  return {
    type: 'plan',
    ...common,
    ...(base !== undefined && { extends: base }),
    goal_understanding: { main_objective: objective, success_criteria: successCriteria, constraints },
    decomposition: {
      reasoning,
      subtasks: tasks.map((task) => {
        const known = steps.find(({ id }) => id === task.id)?.complexity;
        return {
          id: task.id,
          description: described(task),
          dependencies: [...(needs.get(task.id) ?? [])],
          ...(known !== undefined && { complexity: known }),
        };
      }),
    },
    ...acting,
  };
}

/** Whether a proposal says nothing but its calls. */
function isAddition({ revision, outline, tasks }: ProposedEntry): boolean {
  return revision === undefined && outline === undefined && tasks.length <= FEW_TASKS;
}

function added(
  { by, reasoning: thought, tasks }: ProposedEntry,
  needs: ReadonlyMap<string, ReadonlySet<string>>,
) {
  return {
    ...(by !== 'mind' && { by }),
    ...(thought !== undefined && { reasoning: thought }),
    actions: tasks.map(({ id, operation, args, description, reasoning }) => {
      const dependencies = [...(needs.get(id) ?? [])];
      return {
        id,
        operation,
        args,
        ...(description !== undefined && { description }),
        ...(dependencies.length > 0 && { dependencies }),
        ...(reasoning !== undefined && { reasoning }),
      };
    }),
  };
}

/**
 * With up to three tasks, an addition needs no plan of its own. With more, and no success criteria from the model, the
 * tasks whose results no other task uses are the criteria.
 */
const FEW_TASKS = 3;

function expected(
  tasks: readonly Task[],
  needs: ReadonlyMap<string, ReadonlySet<string>>,
  language: Language,
): string[] {
  if (tasks.length <= FEW_TASKS) return [];
  const used = new Set<string>();
  for (const ids of needs.values()) for (const id of ids) used.add(id);
  const { isDone } = runTextsIn(language);
  return tasks.filter(({ id }) => !used.has(id)).map((task) => isDone(described(task)));
}

function statusOf({ isAccepted, isReplaced }: ProposedEntry): z.infer<typeof status> {
  if (isAccepted !== undefined) return isAccepted ? 'accepted' : 'rejected';
  return isReplaced === true ? 'replaced' : 'proposed';
}

function described(task: Task): string {
  const purpose = purposeOf(task);
  return purpose === task.id ? (task.reasoning ?? task.operation) : purpose;
}

/** What the compiler found, and what the task itself says. */
function dependenciesOf({ id, after = [], args }: Task, { needs }: ProposedEntry): Set<string> {
  const found = new Set([...(needs?.[id] ?? []), ...after]);
  for (const { ref } of refsIn(args)) found.add(ref.task);
  return found;
}
