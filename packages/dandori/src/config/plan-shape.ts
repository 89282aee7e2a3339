import * as z from 'zod';
import { duration } from './duration.ts';
import { anyText, list, section, text } from './field.ts';

const after = list(text('t1'), '[t1, t2]');

const planTask = section({
  id: text('t1')
    .optional()
    .describe('The name of the task, for Refs and `after`. By default t1, t2, … by position.'),
  operation: text('calc.evaluate').describe('The tool to call: server.tool or service.method.'),
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
  step: text('s1').optional().describe('The step that it belongs to: the id of a task.generate_list.'),
  reasoning: anyText('The sum is needed for the answer').optional().describe('Why the task is there.'),
});

/** A plan as a person writes it. A list of tasks alone is a plan too. */
export const planShape = section({
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
