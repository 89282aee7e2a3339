import type { Diagnostic } from '../model/plan.ts';
import type { Mode } from '../model/settings.ts';
import type { Task } from '../model/task.ts';
import type { Tool } from '../model/tool.ts';
import type { Need } from './graph.ts';
import type { KnownTasks } from './known-tasks.ts';

/**
 * The findings of tasks that are valid on their own, in any list. They are not checked again. By id, because a
 * `WeakMap` of thousands of tasks takes longer than their checks.
 */
export type CheckedTasks = Map<string, RightTask>;

interface RightTask {
  /** Another task may have the same id later. */
  readonly task: Task;
  readonly mode: Mode;
  readonly tool: Tool | undefined;
  readonly needs: readonly RightNeed[];
  readonly warnings: readonly Diagnostic[];
}

/** What the task depends on, and what that task was when it was checked. */
interface RightNeed {
  readonly id: string;
  readonly need: Need;
  readonly operation: string | undefined;
  readonly tool: Tool | undefined;
}

interface Checking {
  readonly checked?: CheckedTasks | undefined;
  readonly mode: Mode;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly operations: KnownTasks;
}

interface Findings {
  readonly needs: ReadonlyMap<string, Need>;
  readonly warnings: readonly Diagnostic[];
}

export function keepFindings(
  task: Task,
  { needs, warnings }: Findings,
  { checked, mode, tools, operations }: Checking,
): void {
  if (checked === undefined) return;
  const right = [...needs].map(([id, need]): RightNeed => {
    const operation = operations.get(id);
    return { id, need, operation, tool: tools.get(operation ?? '') };
  });
  checked.set(task.id, { task, mode, tool: tools.get(task.operation), needs: right, warnings });
}

/** Undefined if the task was not checked before, or if something that it was checked against has changed. */
export function stillRight(
  task: Task,
  { checked, mode, tools, operations }: Checking,
): RightTask | undefined {
  const known = checked?.get(task.id);
  if (known?.task !== task || known.mode !== mode || known.tool !== tools.get(task.operation))
    return undefined;
  const isSame = ({ id, operation, tool }: RightNeed) =>
    operations.get(id) === operation && tools.get(operation ?? '') === tool;
  return known.needs.every(isSame) ? known : undefined;
}
