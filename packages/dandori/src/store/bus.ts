/**
 * Passes messages between the processes of a store while they work, such as the text of an answer that is being
 * written. Best effort: a message may get lost, and none is stored.
 */
export interface Bus {
  /** Tells all other processes. Never throws. */
  tell(message: string): void;
  /** Calls back with the messages of other processes, until the returned function is called. */
  hear(heard: (message: string) => void): () => void;
}
