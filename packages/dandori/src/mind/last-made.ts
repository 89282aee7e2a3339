/**
 * A value that is the same for most calls. It is kept, and made again only if one of the parts that it is made from
 * differs.
 */
export class LastMade<T> {
  #last: { readonly parts: readonly unknown[]; readonly value: T } | undefined;

  from(parts: readonly unknown[], make: () => T): T {
    const last = this.#last;
    if (last !== undefined && isEqualList(last.parts, parts)) return last.value;
    const value = make();
    this.#last = { parts, value };
    return value;
  }
}

/** Such a value for each run, or each of other objects. */
export class LastMadeFor<Key extends object, T> {
  readonly #all = new WeakMap<Key, LastMade<T>>();

  from(key: Key, parts: readonly unknown[], make: () => T): T {
    let made = this.#all.get(key);
    if (made === undefined) {
      made = new LastMade();
      this.#all.set(key, made);
    }
    return made.from(parts, make);
  }
}

function isEqualList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}
