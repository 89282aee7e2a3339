/** The only source of time. Tests step it by hand. */
export interface Clock {
  now(): number;
  /** Calls back once at the given time, at once if it has passed. The returned function takes it back. */
  at(time: number, wake: () => void): () => void;
}
