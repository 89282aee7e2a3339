import * as z from 'zod';
import { anyText, duration, list, section, text } from '../documents/field.ts';
import type { Path, Place } from '../documents/place.ts';
import { type LocatedProblem, MAX_PROBLEMS, problemsError, renderProblems } from '../documents/problem.ts';
import { shapeProblems, vocabularyOf } from '../documents/shape.ts';
import { locateProblem, openSource } from '../documents/source.ts';
import { readTextFile } from '../documents/text-file.ts';
import { isObject, type JsonObject, valueAt } from '../model/json.ts';
import type { Diagnostic } from '../model/plan.ts';
import { STEP_OPERATION, type Task } from '../model/task.ts';

/** A plan from a file. Its tasks are not compiled yet. */
export interface PlanFile {
  readonly name: string;
  readonly goal: string | undefined;
  readonly tasks: readonly Task[];
  /**
   * The place of a task, or of a part of it, in the file. Without a task: the place of the task list. If
   * several tasks share an id, the first one is meant unless an index is given.
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

/** YAML or JSON. `name` is the name of the text in messages. */
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
  const tasks = parsed.data.tasks.map(taskOf);
  const locate: PlanFile['locate'] = (task, path = [], at = 'value') => {
    const index = typeof task === 'string' ? tasks.findIndex(({ id }) => id === task) : (task ?? -1);
    return source.locate(inFile(index < 0 ? ['tasks'] : ['tasks', index, ...path]), at);
  };
  return { name, goal: parsed.data.goal, tasks, locate };
}

function taskOf(written: z.infer<typeof planTask>, index: number): Task {
  const { id = `t${index + 1}`, operation = STEP_OPERATION, args, purpose, expected, ...others } = written;
  const { after, expect, timeout, description = purpose, ...rest } = others;
  return {
    id,
    operation,
    // The source contains only JSON values. zod has checked only the outer object.
    args: {
      ...(args as JsonObject),
      ...(purpose !== undefined && { purpose }),
      ...(expected !== undefined && { expected }),
    },
    ...(description !== undefined && { description }),
    ...rest,
    ...(after !== undefined && { after: typeof after === 'string' ? [after] : after }),
    ...(expect !== undefined && { expect: expect as string | JsonObject }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  };
}

/** Keys without a value count as absent. Arguments are exempt, because null may be intended. */
function withoutEmptyKeys(plan: unknown): unknown {
  if (!isObject(plan)) return plan;
  const tasks = valueAt(plan, ['tasks']);
  const filled = dropEmpty(plan);
  return Array.isArray(tasks)
    ? { ...filled, tasks: tasks.map((task) => (isObject(task) ? dropEmpty(task) : task)) }
    : filled;
}

function dropEmpty(group: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(group).filter(([, value]) => value !== null));
}

const NO_MILLISECONDS = 'write "timeout": a number is seconds, and 500ms is milliseconds';

/** Keys that other planners use. */
const FOREIGN_KEYS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'tasks.tool': 'did you mean "operation"?',
    'tasks.name': 'did you mean "operation" (the tool) or "id"?',
    'tasks.arguments': 'did you mean "args"?',
    'tasks.params': 'did you mean "args"?',
    'tasks.parameters': 'did you mean "args"?',
    'tasks.input': 'did you mean "args"?',
    'tasks.timeoutMs': NO_MILLISECONDS,
    'tasks.timeout_ms': NO_MILLISECONDS,
    'tasks.depends_on': 'did you mean "after"?',
    'tasks.dependencies': 'did you mean "after"?',
    steps: 'did you mean "tasks"?',
    actions: 'did you mean "tasks"?',
  }),
);

const after = list(text('t1'), '[t1, t2]');

const taskKeys = section({
  id: text('t1')
    .optional()
    .describe('The name of the task, for Refs and `after`. By default t1, t2, … by position.'),
  operation: text('calc.evaluate')
    .optional()
    .describe('The tool to call: server.tool or service.method. A step has a `purpose` instead.'),
  purpose: text('a hotel')
    .optional()
    .describe('What a step is to achieve. The model plans its tasks when the step starts.'),
  expected: anyText('a sum').optional().describe('What should have come of the step.'),
  args: z
    .record(z.string(), z.unknown(), { error: 'must be a group of arguments, such as { expression: 1 + 2 }' })
    .default({})
    .describe('What the tool is called with. "${t1.rows[0].city}" takes a value from the result of t1.'),
  after: z
    .union([text('t1'), after], { error: 'must be a list of ids, such as [t1, t2]' })
    .optional()
    .describe('Tasks that must have succeeded before, where no Ref says so already.'),
  expect: z
    .union([text('length(rows) > `0`'), z.record(z.string(), z.unknown())], {
      error: 'must be a JMESPath condition such as length(rows) > `0`, or a JSON Schema',
    })
    .optional()
    .describe(
      'A JMESPath condition on the result, or a JSON Schema that it must fit. Anything else fails the task.',
    ),
  timeout: duration({ example: '30s' })
    .optional()
    .describe('How long one attempt may take: seconds, or 500ms, 30s, 10m, 2h.'),
  description: anyText('Add the two numbers').optional().describe('What the task does, for people.'),
  step: text('s1').optional().describe('The id of the step that it belongs to.'),
  reasoning: anyText('The sum is needed for the answer').optional().describe('Why the task is there.'),
});

/** A task is a call or a step. */
const planTask = taskKeys
  .superRefine(({ operation, purpose, expected }, { addIssue }) => {
    const wrong = (key: string, message: string) => addIssue({ code: 'custom', path: [key], message });
    if (operation === undefined && purpose === undefined)
      wrong('operation', 'must be text, such as calc.evaluate');
    if (operation === undefined) return;
    const alone = 'must stand without "operation": a step calls no tool itself';
    if (purpose !== undefined) wrong('purpose', alone);
    if (expected !== undefined) wrong('expected', alone);
  })
  .meta({ oneOf: [{ required: ['operation'], properties: { expected: false } }, { required: ['purpose'] }] });

/** The format of a plan file. A plain list of tasks is a plan too. */
const planShape = section({
  $schema: anyText('./plan.schema.json').optional(),
  goal: text('Add 100 and 200').optional().describe('What the plan is for.'),
  tasks: list(planTask, '- { operation: calc.evaluate, args: { expression: 1 + 2 } }').describe(
    'The tool calls, in written order.',
  ),
});

/** The JSON Schema of a plan file, for editors and other programs. */
export function planSchema(): Record<string, unknown> {
  const { $schema, ...plan } = z.toJSONSchema(planShape, { io: 'input', target: 'draft-2020-12' });
  const tasks = (plan.properties as Record<string, unknown>).tasks;
  return {
    $schema,
    title: 'Dandori plan',
    $defs: { tasks },
    anyOf: [
      { ...plan, properties: { ...(plan.properties as object), tasks: { $ref: '#/$defs/tasks' } } },
      { $ref: '#/$defs/tasks' },
    ],
  };
}

/** Diagnostics shown in the lines of the plan, without colours. The CLI adds those. */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  plan: PlanFile,
  severity: 'error' | 'warning' = 'error',
): string {
  return renderProblems(
    diagnostics.slice(0, MAX_PROBLEMS).map((diagnostic): LocatedProblem => {
      const { code, message, hint, task, index, path, at } = diagnostic;
      return {
        where: plan.name,
        place: plan.locate(index ?? task, path, at),
        severity,
        code,
        message,
        ...(hint !== undefined && { hint }),
      };
    }),
    diagnostics.length,
  );
}
