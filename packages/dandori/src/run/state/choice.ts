import type { JsonObject } from '../../model/json.ts';
import type { Option } from '../../model/question.ts';
import { escaped } from '../../plan/fill-refs.ts';
import type { TaskState } from './task-state.ts';

/**
 * The arguments of a task after a choice changed them. A tool or a person wrote the choice, so its text is
 * never treated as a Ref.
 */
export function withChoice({ override, task }: TaskState, { args }: Pick<Option, 'args'>): JsonObject {
  return { ...(override ?? task.args), ...(args && (escaped(args) as JsonObject)) };
}
