/** The only source of time. Tests step it by hand. */
export interface Clock {
  now(): number;
  /** Calls back once at the given time, or at once if it has passed. The returned function cancels it. */
  at(time: number, wake: () => void): () => void;
}
