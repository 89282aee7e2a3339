/** Edges from a task to what it must wait for. */
export type Graph = ReadonlyMap<string, readonly string[]>;

export interface Sorted {
  /**
   * The ids in written order, except that what a task needs comes before it. Forward references are rare, so this is
   * nearly always the written order itself. Not whole where there is a cycle.
   */
  readonly order: string[];
  /** One cycle, each id waiting for the next and the last for the first; undefined where there is none. */
  readonly cycle: string[] | undefined;
}

/** Depth first with a stack of our own: a chain of 100,000 tasks must not overflow the machine's. */
export function sort(graph: Graph): Sorted {
  const order: string[] = [];
  const placed = new Set<string>();
  const path: { id: string; targets: readonly string[]; next: number }[] = [];
  const onPath = new Set<string>();
  const enter = (id: string) => {
    path.push({ id, targets: graph.get(id) ?? [], next: 0 });
    onPath.add(id);
  };
  for (const root of graph.keys()) {
    if (!placed.has(root)) enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = top.targets[top.next++];
      if (target === undefined) {
        path.pop();
        onPath.delete(top.id);
        placed.add(top.id);
        order.push(top.id);
      } else if (onPath.has(target)) {
        return { order, cycle: path.slice(path.findIndex(({ id }) => id === target)).map(({ id }) => id) };
      } else if (!placed.has(target) && graph.has(target)) enter(target);
    }
  }
  return { order, cycle: undefined };
}
