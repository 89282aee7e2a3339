/** A task's input taken from another task's output: `${t1.rows[0].city}`. */
export interface Ref {
  readonly task: string;
  /** JMESPath into the result; empty for the whole of it. */
  readonly path: string;
}
