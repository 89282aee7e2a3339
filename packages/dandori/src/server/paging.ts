/** So many are looked at for one page; where a filter fits few, `next` leads on. */
const MOST_READ = 5_000;
const READ_AT_ONCE = 200;

export interface Paged<T> {
  readonly limit: number;
  readonly before: string | undefined;
  read(options: { readonly limit: number; readonly before?: string }): Promise<readonly T[]>;
  idOf(item: T): string;
  isWanted(item: T): boolean;
  /** Whether nothing behind it can be wanted. */
  isPast?(item: T): boolean;
}

/** Those that are wanted, newest first, and where the next page begins. */
export async function pageOf<T>(paged: Paged<T>): Promise<{ items: T[]; next?: string }> {
  const { limit, before, read, idOf, isWanted, isPast = () => false } = paged;
  const items: T[] = [];
  let from = before;
  for (let count = 0; count < MOST_READ; ) {
    const some = await read({ limit: READ_AT_ONCE, ...(from !== undefined && { before: from }) });
    for (const item of some) {
      from = idOf(item);
      if (isPast(item)) return { items };
      if (isWanted(item)) items.push(item);
      if (items.length === limit) return { items, next: from };
    }
    if (some.length < READ_AT_ONCE) return { items };
    count += some.length;
  }
  return { items, ...(from !== undefined && { next: from }) };
}
