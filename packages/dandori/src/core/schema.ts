import type { Json, JsonObject } from '../domain/json.ts';
import type { Work } from './work.ts';

/** One way in which a value does not fit a JSON Schema. */
export interface SchemaIssue {
  readonly path: (string | number)[];
  readonly keyword: string;
  readonly message: string;
  /** Whether it holds only on a branch that another value decides on. */
  readonly isConditional?: boolean;
  /** The property that is missing or not allowed, where the issue is about one. */
  readonly property?: string;
}

/**
 * Checks a value against a tool's JSON Schema. The core is given the checker, because the fast ones generate code,
 * which a page with a strict content policy may not do. Must not throw: a schema that is itself invalid accepts
 * everything, and is reported when its tool is discovered.
 */
export interface SchemaCheck {
  /**
   * `work` is what several checks may cost together. A check that takes too much is given up: its only issue has the keyword
   * `unchecked`.
   */
  (schema: JsonObject, value: Json, work?: Work): readonly SchemaIssue[];
  /** What is wrong with a schema itself; undefined for a usable one. */
  readonly problem?: (schema: JsonObject) => string | undefined;
}

/** What the checks of one plan may cost together: it has thousands of tasks, and a server may make each of them dear. */
const PLAN_WORK = 50_000_000;

/** The same check, whose work is counted over all that it is asked. */
export function withinOneLimit(check: SchemaCheck): SchemaCheck {
  const work = { left: PLAN_WORK };
  return Object.assign((schema: JsonObject, value: Json) => check(schema, value, work), {
    ...(check.problem && { problem: check.problem }),
  });
}
