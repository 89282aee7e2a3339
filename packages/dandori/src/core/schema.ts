import type { Json, JsonObject } from '../domain/json.ts';

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
  (schema: JsonObject, value: Json): readonly SchemaIssue[];
  /** What is wrong with a schema itself; undefined for a usable one. */
  readonly problem?: (schema: JsonObject) => string | undefined;
}
