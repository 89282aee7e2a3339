/** Tasks that a plan may refer to: id → operation. A view, because a long run has thousands and a plan few. */
export interface KnownTasks {
  get(id: string): string | undefined;
  has(id: string): boolean;
  keys(): Iterable<string>;
  values(): Iterable<string>;
}

/** Known tasks and those that are added to them. */
export class AddedTasks implements KnownTasks {
  readonly #before: KnownTasks;
  readonly #added = new Map<string, string>();

  constructor(before: KnownTasks) {
    this.#before = before;
  }

  set(id: string, operation: string): void {
    this.#added.set(id, operation);
  }

  get(id: string): string | undefined {
    return this.#added.get(id) ?? this.#before.get(id);
  }

  has(id: string): boolean {
    return this.get(id) !== undefined;
  }

  *keys(): Iterable<string> {
    yield* this.#before.keys();
    yield* this.#added.keys();
  }

  *values(): Iterable<string> {
    yield* this.#before.values();
    yield* this.#added.values();
  }
}
