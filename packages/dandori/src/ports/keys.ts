/** What was begun under a key that a caller chose, so that a request that is sent twice begins one thing. */
export interface Keys {
  /**
   * Keeps the value under the name unless there is one already, and gives the one that is kept. Of many at the same
   * time, in one process or in several, one wins. Durable when it resolves.
   */
  hold(name: string, value: string): Promise<string>;
  /** The values that were kept before then, each with what takes it away. */
  heldBefore(time: number): AsyncIterable<{ readonly value: string; remove(): Promise<void> }>;
}
