import type { Task } from '../domain/task.ts';
import type { Tool } from '../domain/tool.ts';

/**
 * A step stands in the graph like a task, and waits and blocks like one. In place of a call, the mind is asked for
 * its tasks when its time comes; it has ended when they have, and its result is that of the last of them.
 */
export const STEP_OPERATION = 'task.generate_list';

export const STEP_TOOL: Tool = {
  name: STEP_OPERATION,
  server: 'task',
  description: 'Leaves this part of the plan open: you are asked for its actions when its time comes.',
  inputSchema: {
    type: 'object',
    properties: {
      purpose: { type: 'string', description: 'what this part is to achieve' },
      expected: { type: 'string', description: 'what should have come of it, for when you look back' },
    },
  },
  // Nobody knows yet what its tasks will do, but steps do not disturb each other: their tasks are ordered when they are known.
  effect: 'write',
  independent: true,
  trusted: true,
};

/** What a step is for, in words. */
export function purposeOf({ id, description, args }: Pick<Task, 'id' | 'description' | 'args'>): string {
  return description ?? (typeof args.purpose === 'string' ? args.purpose : id);
}

export function isStep({ operation }: Pick<Task, 'operation'>): boolean {
  return operation === STEP_OPERATION;
}
