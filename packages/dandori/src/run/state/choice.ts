import type { JsonObject } from '../../model/json.ts';
import type { Option } from '../../model/question.ts';
import { escaped } from '../../plan/fill-refs.ts';
import type { TaskState } from './tasks.ts';

/** The arguments of a task with what a choice changes in them. A tool or a person wrote it, so that no text in it is a Ref. */
export function withChoice({ override, task }: TaskState, { args }: Pick<Option, 'args'>): JsonObject {
  return { ...(override ?? task.args), ...(args && (escaped(args) as JsonObject)) };
}
