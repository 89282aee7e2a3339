import type { JsonObject } from '../domain/json.ts';
import type { Task } from '../domain/task.ts';
import { type Path, type Place, valueAt } from './place.ts';
import { planShape } from './plan-shape.ts';
import { MAX_PROBLEMS, problemsError } from './problem.ts';
import { isRecord } from './record.ts';
import { shapeProblems } from './shape.ts';
import { locateProblem, openSource } from './source.ts';
import { readTextFile } from './text-file.ts';
import { vocabularyOf } from './vocabulary.ts';

/** A plan from a file. Its tasks are not compiled yet. */
export interface PlanFile {
  readonly name: string;
  readonly goal: string | undefined;
  readonly tasks: readonly Task[];
  /**
   * Where a task, or something in it, stands in the file. Without a task: where the list of tasks stands. An id that
   * several tasks have means the first of them; an index says which.
   */
  locate(task?: string | number, path?: Path, at?: 'key' | 'value'): Place;
}

const MAX_BYTES = 10_000_000;
const FIX = 'correct what is shown; plan.schema.json describes a plan';

export async function readPlanFile(path: string): Promise<PlanFile> {
  const rules = {
    name: path,
    code: 'plan-invalid',
    missing: 'file-unreadable',
    maxBytes: MAX_BYTES,
  } as const;
  return parsePlan(await readTextFile(path, rules), path);
}

/** YAML or JSON. `name` is how the text is called in messages. */
export function parsePlan(text: string, name: string): PlanFile {
  const source = openSource(text, name);
  if (source.problems.length > 0)
    throw problemsError('plan-invalid', name, { problems: source.problems, fix: FIX });
  const isList = Array.isArray(source.value);
  const written = withoutEmptyKeys(isList ? { tasks: source.value } : (source.value ?? {}));
  const inFile = (path: Path): Path => (isList && path[0] === 'tasks' ? path.slice(1) : path);
  const parsed = planShape.safeParse(written);
  if (!parsed.success) {
    const words = { vocabulary: vocabularyOf(planShape), foreign: FOREIGN_KEYS, written };
    const found = shapeProblems(parsed.error, words);
    const problems = found
      .slice(0, MAX_PROBLEMS)
      .map((problem) => locateProblem({ ...problem, path: inFile(problem.path) }, source));
    throw problemsError('plan-invalid', name, { problems, fix: FIX, total: found.length });
  }
  const tasks = parsed.data.tasks.map(({ id, after, args, expect, ...rest }, index): Task => {
    // The source holds JSON values only; zod has looked no further than the outer object.
    const expected = expect === undefined ? {} : { expect: expect as string | JsonObject };
    const task = { id: id ?? `t${index + 1}`, args: args as JsonObject, ...expected, ...rest };
    return after === undefined ? task : { ...task, after: typeof after === 'string' ? [after] : after };
  });
  const locate: PlanFile['locate'] = (task, path = [], at = 'value') => {
    const index = typeof task === 'string' ? tasks.findIndex(({ id }) => id === task) : (task ?? -1);
    return source.locate(inFile(index < 0 ? ['tasks'] : ['tasks', index, ...path]), at);
  };
  return { name, goal: parsed.data.goal, tasks, locate };
}

/** Keys without a value count as absent, but an argument may well be null. */
function withoutEmptyKeys(plan: unknown): unknown {
  if (!isRecord(plan)) return plan;
  const tasks = valueAt(plan, ['tasks']);
  const filled = dropEmpty(plan);
  return Array.isArray(tasks)
    ? { ...filled, tasks: tasks.map((task) => (isRecord(task) ? dropEmpty(task) : task)) }
    : filled;
}

function dropEmpty(group: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null));
}

/** Words that other planners use. */
const FOREIGN_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'tasks.tool': 'did you mean "operation"?',
    'tasks.name': 'did you mean "operation" (the tool) or "id"?',
    'tasks.arguments': 'did you mean "args"?',
    'tasks.params': 'did you mean "args"?',
    'tasks.parameters': 'did you mean "args"?',
    'tasks.input': 'did you mean "args"?',
    'tasks.depends_on': 'did you mean "after"?',
    'tasks.dependencies': 'did you mean "after"?',
    steps: 'did you mean "tasks"?',
    actions: 'did you mean "tasks"?',
  }),
);
