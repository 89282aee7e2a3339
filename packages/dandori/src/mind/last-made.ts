/**
 * A value that is the same for most calls. It is kept, and made again only if one of the parts that it is made from
 * differs.
 */
export class LastMade<T> {
  #last: { readonly parts: readonly unknown[]; readonly value: T } | undefined;

  from(parts: readonly unknown[], make: () => T): T {
    const last = this.#last;
    const isSame =
      last?.parts.length === parts.length && parts.every((part, index) => part === last.parts[index]);
    if (isSame) return last.value;
    const value = make();
    this.#last = { parts, value };
    return value;
  }
}
